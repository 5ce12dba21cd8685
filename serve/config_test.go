package serve

import (
	"flag"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Everything that is wrong is told at once, by field.
func TestBadConfig(t *testing.T) {
	for _, tt := range []struct {
		cfg  Config
		want []string
	}{
		{Config{GRPC: []string{"0.0.0.0:1"}}, []string{
			"Config.GRPC: other machines reach 0.0.0.0:1: it needs TLS"}},
		{Config{HTTP: []string{"example.com:1", "x"}}, []string{
			"Config.HTTP: other machines reach example.com:1", `Config.HTTP: "x" is no address`}},
		{Config{TLSCert: "x"}, []string{
			"Config.TLSCert and Config.TLSKey: one is set without the other"}},
		{Config{TLSClientCA: "x"}, []string{"Config.TLSClientCA: needs"}},
		{Config{TLSCert: "/none/c", TLSKey: "/none/k", Token: "a b"}, []string{"/none/c", "Config.Token: the token has"}},
		{Config{Token: "a", TokenFile: "/none/t"}, []string{"both are set", "/none/t"}},
		{Config{SocketMode: 0o10600}, []string{"Config.SocketMode: "}},
		{Config{SocketOwner: "no such user:"}, []string{`there is no user "no such user"`}},
		{Config{SocketOwner: ":no such group"}, []string{`there is no group "no such group"`}},
		{Config{CORSOrigins: []string{"example.com", "https://x/", "*"}}, []string{
			`"example.com" is no origin`, `"https://x/" is no origin`}},
		{Config{Hosts: []string{"http://x", "x:1", "", "a.*", "x", "::1", "*"}}, []string{
			`Config.Hosts: "http://x" is no host`, `"x:1" is no host`, `"" is no host`, `"a.*" is no host`}},
		{Config{JSON: 7}, []string{"Config.JSON: 7"}},
		{Config{ReadyPath: "ready"}, []string{`Config.ReadyPath: "ready" does not begin with a slash`}},
		{Config{CallTimeout: -1, ShutdownDelay: -1}, []string{
			"Config.CallTimeout: -1ns is negative", "Config.ShutdownDelay"}},
	} {
		_, err := New(tt.cfg, echo{}.service())
		if err == nil {
			t.Errorf("%+v: no error", tt.cfg)
			continue
		}
		if lines := strings.Split(err.Error(), "\n"); len(lines) != len(tt.want) {
			t.Errorf("%d errors, want %d:\n%v", len(lines), len(tt.want), err)
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q, want %q in it", err, want)
			}
		}
	}
}

func TestBadServices(t *testing.T) {
	for want, services := range map[string][]Service{
		"no services":                         nil,
		"service 1 has no Desc":               {{}},
		"service test.v1.Echo is there twice": {echo{}.service(), echo{}.service()},
	} {
		if _, err := New(Config{}, services...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	noFile := echo{}.service()
	noFile.File = nil
	s, err := New(Config{HTTP: []string{"127.0.0.1:0"}, DefaultRoutes: true}, noFile)
	if err != nil {
		t.Fatal(err)
	}
	const want = "HTTP routes of test.v1.Echo: the service has no File"
	if err := s.Listen(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Listen: %v", err)
	}
}

func TestFlags(t *testing.T) {
	cfg := Config{GRPC: []string{":50051"}, HTTP: []string{":50052"}}
	fs := flag.NewFlagSet("x", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	cfg.AddFlags(fs)
	err := fs.Parse([]string{
		"-grpc", ":1", "-grpc", "unix:///x", "-socket-mode", "660", "-insecure", "-token-file", "t", "-cors-origin", "*",
		"-shutdown-timeout", "3s", "-no-reflection", "-default-routes",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		GRPC: []string{":1", "unix:///x"}, HTTP: []string{":50052"}, SocketMode: 0o660, Insecure: true, TokenFile: "t",
		CORSOrigins: []string{"*"}, ShutdownTimeout: 3 * time.Second, NoReflection: true, DefaultRoutes: true,
		MaxRecvBytes: defaultMaxRecv,
	}
	cfg.flags = nil
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got %+v\nwant %+v", cfg, want)
	}
	if err := fs.Parse([]string{"-socket-mode", "9"}); err == nil {
		t.Error("mode 9 is accepted")
	}
	if usage := fs.Lookup("http").DefValue; usage != ":50052" {
		t.Errorf("default of -http: %q", usage)
	}
}

// Errors name the flags that there are, and those of addresses only if they were
// given: a program may have another flag for them.
func TestErrorsNameFlags(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		grpc []string // what the program sets
		want string
		none string
	}{
		{"given", []string{"-grpc", "x"}, nil, `serve: Config.GRPC (-grpc): "x" is no address`, ""},
		{"another flag", nil, []string{"x"}, `serve: Config.GRPC: "x" is no address`, "-grpc"},
		{"what to do", nil, []string{"0.0.0.0:1"}, "serve: Config.GRPC: other machines reach 0.0.0.0:1: it needs TLS with " +
			"Config.TLSCert and Config.TLSKey (-tls-cert, -tls-key), or Config.Insecure (-insecure)", "-grpc"},
		{"one of two", []string{"-tls-key", "k"}, nil,
			"Config.TLSCert and Config.TLSKey (-tls-cert, -tls-key): one is set without the other", ""},
		{"a file", []string{"-token-file", "/none/t"}, nil, "serve: Config.TokenFile (-token-file): open /none/t", ""},
	} {
		var cfg Config
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		cfg.AddFlags(fs)
		if err := fs.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		cfg.GRPC = append(cfg.GRPC, tt.grpc...)
		_, err := New(cfg, echo{}.service())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if tt.none != "" && err != nil && strings.Contains(err.Error(), tt.none) {
			t.Errorf("%s: %v, which names %s", tt.name, err, tt.none)
		}
	}
	_, err := New(Config{GRPC: []string{"0.0.0.0:1"}}, echo{}.service())
	if err == nil || strings.Contains(err.Error(), "(-") {
		t.Errorf("without flags: %v", err)
	}
	// Every flag that errors name is there.
	var cfg Config
	fs := flag.NewFlagSet("x", flag.ContinueOnError)
	cfg.AddFlags(fs)
	for field, name := range flagNames {
		if _, ok := reflect.TypeFor[Config]().FieldByName(field); !ok || fs.Lookup(name) == nil {
			t.Errorf("field %s, flag -%s", field, name)
		}
	}
}

func TestDefaults(t *testing.T) {
	c := Config{}.withDefaults()
	if len(c.GRPC) != 1 || c.GRPC[0] != "127.0.0.1:0" || c.HTTP != nil {
		t.Errorf("addresses %q, %q", c.GRPC, c.HTTP)
	}
	if c.MaxRecvBytes != 4<<20 || c.MaxBodyBytes != 8<<20 || c.SocketMode != 0o600 {
		t.Errorf("%+v", c)
	}
	c = Config{MaxRecvBytes: -1, HTTP: []string{"x"}}.withDefaults()
	if c.MaxRecvBytes != maxLimit || c.MaxBodyBytes < maxLimit-1 || c.GRPC != nil {
		t.Errorf("%+v", c)
	}
}
