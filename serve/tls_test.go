package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// authority makes certificates.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // with its certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.key, a.cert = newKey(t), tmpl
	der := a.sign(tmpl, a.key)
	a.cert, _ = x509.ParseCertificate(der)
	a.file = a.write("ca.pem", "CERTIFICATE", der)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) sign(tmpl *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return der
}

func (a *authority) write(name, kind string, der []byte) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	// Renamed into place, so that no half of it is read.
	if err := os.WriteFile(path+".new", pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// issue writes a certificate for 127.0.0.1 and its key, valid from and until
// some hours from now.
func (a *authority) issue(name string, serial, from, until int) (cert, key string) {
	a.t.Helper()
	k := newKey(a.t)
	der := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(int64(serial)), Subject: pkix.Name{CommonName: name},
		NotBefore:   time.Now().Add(time.Duration(from) * time.Hour),
		NotAfter:    time.Now().Add(time.Duration(until) * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, k)
	keyDER, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		a.t.Fatal(err)
	}
	key = a.write(name+".key", "PRIVATE KEY", keyDER)
	return a.write(name+".pem", "CERTIFICATE", der), key
}

// client is a client's TLS configuration, with a certificate if there is a
// name.
func (a *authority) client(name string) *tls.Config {
	a.t.Helper()
	cfg := &tls.Config{RootCAs: x509.NewCertPool()}
	cfg.RootCAs.AddCert(a.cert)
	if name != "" {
		cert, err := tls.LoadX509KeyPair(a.issue(name, 99, -1, 1))
		if err != nil {
			a.t.Fatal(err)
		}
		cfg.Certificates = []tls.Certificate{cert}
	}
	return cfg
}

func TestTLS(t *testing.T) {
	ca := newAuthority(t)
	cert, key := ca.issue("server", 1, -1, 1)
	r := start(t, Config{
		GRPC: []string{"127.0.0.1:0", "unix://" + socketPath(t)}, HTTP: []string{"127.0.0.1:0"},
		DefaultRoutes: true, TLSCert: cert, TLSKey: key,
	}, echo{}.service())
	if got, err := r.say(r.dial(credentials.NewTLS(ca.client(""))), "x"); err != nil || got != "x" {
		t.Errorf("gRPC: %q, %v", got, err)
	}
	_, err := r.say(r.conn, "x")
	wantStatus(t, err, codes.Unavailable, "")
	_, err = r.say(r.dial(credentials.NewTLS(&tls.Config{})), "x")
	wantStatus(t, err, codes.Unavailable, "unknown authority")
	old := ca.client("")
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	_, err = tls.Dial("tcp", r.GRPCAddrs()[0].String(), old)
	if err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("TLS 1.1: %v", err)
	}
	r.log.find(t, "TLS handshake failed", "protocol", "grpc")

	// A socket file needs no TLS.
	conn, err := net.Dial("unix", r.GRPCAddrs()[1].String())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	r.grpcLns[0], r.grpcLns[1] = r.grpcLns[1], r.grpcLns[0]
	if got, err := r.say(r.dial(insecure.NewCredentials()), "x"); err != nil || got != "x" {
		t.Errorf("socket file: %q, %v", got, err)
	}

	for _, h2 := range []bool{true, false} {
		r.http.Transport.(*http.Transport).CloseIdleConnections()
		transport := &http.Transport{TLSClientConfig: ca.client(""), ForceAttemptHTTP2: h2}
		r.http.Transport = transport
		r.url = "https://" + r.HTTPAddrs()[0].String()
		res, body := r.do("POST", sayMethod, `"x"`)
		if res.StatusCode != 200 || body != `"x"` || (res.ProtoMajor == 2) != h2 {
			t.Errorf("%s %s %q", res.Proto, res.Status, body)
		}
		transport.CloseIdleConnections()
	}
}

func TestMutualTLS(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	cert, key := ca.issue("server", 1, -1, 1)
	names := make(chan string, 1)
	r := start(t, Config{
		GRPC: []string{"127.0.0.1:0"}, HTTP: []string{"127.0.0.1:0"}, DefaultRoutes: true,
		TLSCert: cert, TLSKey: key, TLSClientCA: ca.file,
	}, echo{say: clientName(names)}.service())

	if _, err := r.say(r.dial(credentials.NewTLS(ca.client("alice"))), "x"); err != nil {
		t.Error(err)
	}
	if got := <-names; got != "alice" {
		t.Errorf("client %q over gRPC", got)
	}
	r.url = "https://" + r.HTTPAddrs()[0].String()
	transport := &http.Transport{TLSClientConfig: ca.client("bob")}
	defer transport.CloseIdleConnections()
	r.http.Transport = transport
	r.do("POST", sayMethod, `"x"`)
	if got := <-names; got != "bob" {
		t.Errorf("client %q over HTTP", got)
	}

	// What clients are told depends on which of their writes fails; the log does
	// not.
	_, err := r.say(r.dial(credentials.NewTLS(ca.client(""))), "x")
	wantStatus(t, err, codes.Unavailable, "")
	r.log.find(t, "TLS handshake failed", "error", "tls: client didn't provide a certificate")
	wrong := ca.client("")
	wrong.Certificates = other.client("mallory").Certificates
	// The client sends no certificate of which it knows that the server does not
	// trust its authority.
	wrong.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		return &wrong.Certificates[0], nil
	}
	_, err = r.say(r.dial(credentials.NewTLS(wrong)), "x")
	wantStatus(t, err, codes.Unavailable, "")
	r.log.find(t, "TLS handshake failed", "error", "certificate signed by unknown authority")
	expired := ca.client("")
	old, err := tls.LoadX509KeyPair(ca.issue("expired", 98, -2, -1))
	if err != nil {
		t.Fatal(err)
	}
	expired.Certificates = []tls.Certificate{old}
	_, err = r.say(r.dial(credentials.NewTLS(expired)), "x")
	wantStatus(t, err, codes.Unavailable, "")
	r.log.find(t, "TLS handshake failed", "error", "certificate has expired or is not yet valid")
	if len(names) > 0 {
		t.Errorf("a call of %q got through", <-names)
	}
	if got, err := r.say(r.dial(credentials.NewTLS(ca.client("alice"))), "x"); err != nil || got != "x" {
		t.Errorf("no longer served: %q, %v", got, err)
	}
}

func TestTLSReload(t *testing.T) {
	ca := newAuthority(t)
	cert, key := ca.issue("server", 1, -1, 1)
	r := start(t, Config{
		GRPC: []string{"127.0.0.1:0"}, HTTP: []string{"127.0.0.1:0"}, TLSCert: cert, TLSKey: key,
	}, echo{}.service())
	r.url = ""
	serial := func() int64 {
		t.Helper()
		var serials [2]int64
		for i, a := range []net.Addr{r.GRPCAddrs()[0], r.HTTPAddrs()[0]} {
			cfg := ca.client("")
			cfg.NextProtos = []string{"h2"}
			conn, err := tls.Dial("tcp", a.String(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			serials[i] = conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
			conn.Close()
		}
		if serials[0] != serials[1] {
			t.Errorf("gRPC has certificate %d, HTTP %d", serials[0], serials[1])
		}
		return serials[0]
	}
	renew := func(serial, until int) {
		t.Helper()
		ca.issue("server", serial, -2, until)
		// Times of files may be coarse.
		now := time.Now().Add(time.Duration(serial) * time.Minute)
		if err := errors.Join(os.Chtimes(cert, now, now), os.Chtimes(key, now, now)); err != nil {
			t.Fatal(err)
		}
	}
	if got := serial(); got != 1 {
		t.Errorf("at start: certificate %d", got)
	}
	renew(2, 1)
	if got := serial(); got != 2 {
		t.Errorf("renewed: certificate %d, want 2", got)
	}
	r.log.find(t, "TLS files read again")
	renew(3, -1)
	if got := serial(); got != 2 {
		t.Errorf("renewed with an expired one: certificate %d, want 2", got)
	}
	line := r.log.find(t, "changed TLS files cannot be used; the old ones stay")
	if !strings.Contains(line["error"].(string), "has expired on") {
		t.Errorf("log: %v", line)
	}
	os.WriteFile(cert, []byte("garbage"), 0o600)
	if got := serial(); got != 2 {
		t.Errorf("replaced by garbage: certificate %d, want 2", got)
	}
	os.Remove(cert)
	if got := serial(); got != 2 {
		t.Errorf("removed: certificate %d, want 2", got)
	}
	renew(4, 1)
	if got := serial(); got != 4 {
		t.Errorf("renewed at last: certificate %d, want 4", got)
	}
}

func TestBadTLSFiles(t *testing.T) {
	ca := newAuthority(t)
	cert, key := ca.issue("server", 1, -1, 1)
	expired, expiredKey := ca.issue("expired", 2, -2, -1)
	future, futureKey := ca.issue("future", 3, 1, 2)
	garbage := filepath.Join(t.TempDir(), "garbage")
	os.WriteFile(garbage, []byte("garbage"), 0o600)
	for _, tt := range []struct{ name, cert, key, ca, want string }{
		{"expired", expired, expiredKey, "", "expired.pem has expired on "},
		{"not yet valid", future, futureKey, "", "future.pem is not valid before "},
		{"another's key", cert, expiredKey, "", "private key does not match public key"},
		{"no PEM", garbage, key, "", "failed to find any PEM data in certificate input"},
		{"no key", cert, garbage, "", "failed to find any PEM data in key input"},
		{"no file", cert + "x", key, "", "no such file"},
		{"no authority", cert, key, garbage, "garbage holds no certificate in PEM"},
		{"no authority file", cert, key, cert + "x", "client authorities: "},
	} {
		_, err := New(Config{TLSCert: tt.cert, TLSKey: tt.key, TLSClientCA: tt.ca}, echo{}.service())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
