package serve

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"
)

// certFile is the server's certificate and its clients' authorities, read from
// files. Handshakes look whether the files have changed.
type certFile struct {
	cert, key, ca string
	log           *slog.Logger

	mu    sync.Mutex
	seen  [3]fileState // of cert, key and ca, when they were last read
	certs []tls.Certificate
	pool  *x509.CertPool // nil: clients need no certificate
	// configs are what is handed to handshakes, by protocols. They are kept
	// until the files change, so that sessions can be resumed.
	configs map[string]*tls.Config
}

// fileState tells whether a file has changed.
type fileState struct {
	size int64
	time time.Time
}

func openCertFile(cert, key, ca string, log *slog.Logger) (*certFile, error) {
	f := &certFile{cert: cert, key: key, ca: ca, log: log}
	f.seen = f.stat()
	if err := f.load(); err != nil {
		return nil, fmt.Errorf("serve: TLS: %w", err)
	}
	return f, nil
}

func (f *certFile) stat() (states [3]fileState) {
	for i, name := range []string{f.cert, f.key, f.ca} {
		if name == "" {
			continue
		}
		if info, err := os.Stat(name); err == nil {
			states[i] = fileState{info.Size(), info.ModTime()}
		}
	}
	return states
}

// load reads the files. Nothing changes if they cannot be used.
func (f *certFile) load() error {
	cert, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return fmt.Errorf("certificate %s with key %s: %w", f.cert, f.key, err)
	}
	if err := checkValidity(cert.Leaf, time.Now()); err != nil {
		return fmt.Errorf("certificate %s %w", f.cert, err)
	}
	var pool *x509.CertPool
	if f.ca != "" {
		if pool, err = loadPool(f.ca); err != nil {
			return err
		}
	}
	f.certs, f.pool, f.configs = []tls.Certificate{cert}, pool, map[string]*tls.Config{}
	return nil
}

func checkValidity(c *x509.Certificate, now time.Time) error {
	switch {
	case now.After(c.NotAfter):
		return fmt.Errorf("has expired on %s: renew it", c.NotAfter.Format(time.RFC3339))
	case now.Before(c.NotBefore):
		return fmt.Errorf("is not valid before %s: check the clock", c.NotBefore.Format(time.RFC3339))
	}
	return nil
}

func loadPool(name string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("client authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("client authorities: %s holds no certificate in PEM", name)
	}
	return pool, nil
}

// config is a TLS configuration for some application protocols, which follows
// the files.
func (f *certFile) config(protocols ...string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: protocols,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return f.current(protocols), nil
		},
	}
}

func (f *certFile) current(protocols []string) *tls.Config {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.stat(); now != f.seen {
		f.seen = now
		if err := f.load(); err != nil {
			f.log.Error("changed TLS files cannot be used; the old ones stay", "error", err)
		} else {
			f.log.Info("TLS files read again", "certificate", f.cert)
		}
	}
	c := f.configs[strings.Join(protocols, " ")]
	if c == nil {
		c = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: protocols, Certificates: f.certs}
		if f.pool != nil {
			c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, f.pool
		}
		f.configs[strings.Join(protocols, " ")] = c
	}
	return c
}

// listener is a listener for HTTP with TLS.
func (f *certFile) listener(l net.Listener) net.Listener {
	return tls.NewListener(l, f.config("h2", "http/1.1"))
}

// fileCreds are gRPC's credentials for TLS, but for socket files, which need
// none: nobody can listen in.
type fileCreds struct {
	credentials.TransportCredentials
	log *slog.Logger
}

// ServerHandshake shakes hands, and logs what goes wrong.
func (c *fileCreds) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if isUnix(conn.LocalAddr()) {
		return conn, plain{}, nil
	}
	if h, ok := conn.(*handshakeConn); ok {
		h.shaking.Store(true)
		defer h.shaking.Store(false)
	}
	tlsConn, info, err := c.TransportCredentials.ServerHandshake(conn)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		c.log.Warn("TLS handshake failed", "peer", addrString(conn.RemoteAddr()), "protocol", "grpc", "error", err)
	}
	return tlsConn, info, err
}

// Clone is a copy that can be changed.
func (c *fileCreds) Clone() credentials.TransportCredentials {
	return &fileCreds{c.TransportCredentials.Clone(), c.log}
}

// plain is what is known of a client on a socket file.
type plain struct{ credentials.CommonAuthInfo }

// AuthType names the kind.
func (plain) AuthType() string { return "unix" }
