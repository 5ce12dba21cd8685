package serve

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"
)

// Config says how services are served. The zero value serves gRPC on a free
// port of 127.0.0.1, which the log names, with health and reflection.
//
// In limits and time-outs, 0 stands for the default that the field names, and a
// negative number for no limit.
type Config struct {
	// GRPC are the addresses to serve gRPC on, HTTP those for HTTP/JSON:
	//
	//	host:port, tcp://host:port  port 0 is a free one; an empty host is
	//	                            127.0.0.1, not every interface
	//	unix:///path                a socket; see SocketMode and SocketOwner
	//	fd://3                      an open descriptor, inherited
	//	fd://name                   the sockets that systemd passed under a name
	//	fd://                       every socket that systemd passed
	//
	// An address that is neither loopback nor a socket file needs TLS or
	// Insecure. If both lists are empty, gRPC is served on 127.0.0.1:0.
	GRPC, HTTP []string
	// SocketMode is the mode of socket files; 0 means 0600.
	SocketMode fs.FileMode
	// SocketOwner is who socket files belong to: "user", "user:group" or
	// ":group", by name or number. Empty: whoever runs the process.
	SocketOwner string
	// Insecure allows to serve without TLS on addresses that other machines
	// reach.
	Insecure bool

	// TLSCert and TLSKey name files, in PEM, with the certificate chain and the
	// key of the server. With them all but socket files are served with TLS 1.2
	// or newer. The files are read again when they have changed; a new one that
	// cannot be used is logged, and the old one stays.
	TLSCert, TLSKey string
	// TLSClientCA names a file with the certificates, in PEM, that clients'
	// certificates have to come from. With it, clients must have one.
	TLSClientCA string

	// Token is what callers have to send, as "authorization: Bearer <token>".
	// Health checks are free. Empty, and without TokenFile: all calls are let
	// in.
	Token string
	// TokenFile names a file with the token, which is read at start. White
	// space around it does not count.
	TokenFile string

	// MaxRecvBytes bounds a message that is received; 0 means 4 MiB.
	MaxRecvBytes int
	// MaxSendBytes bounds a message that is sent; 0 means 64 MiB. Clients have
	// limits of their own, usually 4 MiB.
	MaxSendBytes int
	// MaxBodyBytes bounds the body of an HTTP request; 0 means twice
	// MaxRecvBytes, because JSON takes more room.
	MaxBodyBytes int
	// MaxHeaderBytes bounds the headers of a request or call; 0 means 64 KiB.
	MaxHeaderBytes int
	// MaxStreams bounds the calls at a time on one connection; 0 means 4096.
	MaxStreams int

	// HandshakeTimeout bounds TLS and HTTP/2 handshakes and the time in which an
	// HTTP request's header has to arrive; 0 means 10 seconds.
	HandshakeTimeout time.Duration
	// ReadTimeout bounds the time in which an HTTP request's body has to arrive,
	// counted from the end of the header; 0 means one minute.
	ReadTimeout time.Duration
	// WriteTimeout bounds each single write to an HTTP client, not the response:
	// a stream may live on for days, but not while its client takes nothing. 0
	// means one minute.
	WriteTimeout time.Duration
	// IdleTimeout is when connections without a call are closed; 0 means 15
	// minutes for gRPC and 2 minutes for HTTP.
	IdleTimeout time.Duration
	// CallTimeout is the deadline of unary calls for which the client has set
	// none; 0 means none.
	CallTimeout time.Duration
	// MaxConnectionAge is when gRPC clients are told to connect anew; 0 means
	// never. Calls that run then go on.
	MaxConnectionAge time.Duration
	// KeepaliveInterval is how long a gRPC connection may be silent before it is
	// pinged; 0 means one minute. KeepaliveTimeout is the time for an answer; 0
	// means 20 seconds.
	KeepaliveInterval, KeepaliveTimeout time.Duration
	// MinPingInterval is how often gRPC clients may ping; 0 means every 10
	// seconds. The connection of one that does so more often is closed.
	MinPingInterval time.Duration

	// JSON says how messages look as JSON.
	JSON JSON
	// DefaultRoutes gives services without HTTP routes of their own the routes
	// POST /package.Service/Method. Streams from clients are not among what
	// they can do.
	DefaultRoutes bool
	// CORSOrigins are the origins, such as "https://example.com", whose pages
	// may use the HTTP API; "*" means all. Pages of other origins can neither
	// read answers nor send requests that change something.
	CORSOrigins []string
	// Hosts are names and IP addresses, without ports, besides localhost, names
	// that end in .localhost, loopback addresses and the hosts of CORSOrigins,
	// that HTTP requests may be for where HTTP is served on a loopback address.
	// Others are refused with 403, so that no web page gets to a server of this
	// machine by a name of its own that it lets stand for 127.0.0.1. A proxy on
	// this machine that passes on the host it is asked for needs it here. "*"
	// means all, and switches the check off, as it does in CORSOrigins. Socket
	// files and other addresses are not concerned.
	Hosts []string
	// SSEHeartbeat is how often a comment is sent on a silent stream of
	// Server-Sent Events; 0 means every 15 seconds.
	SSEHeartbeat time.Duration
	// LivePath and ReadyPath answer GET with 200 while the process runs, and
	// while it takes calls. Empty means /healthz and /readyz, "-" none. A route
	// of a service goes before them.
	LivePath, ReadyPath string
	// HTTPMiddleware wraps the HTTP routes, the first outermost. Inside of it
	// are the routes alone; outside are the log, the limits, CORS and the token
	// check.
	HTTPMiddleware []func(http.Handler) http.Handler
	// MuxOptions are further options of the gateway. They override what other
	// fields say. With a marshaler among them, a stream from a client of which a
	// message cannot be decoded ends there as if it were whole.
	MuxOptions []runtime.ServeMuxOption

	// UnaryInterceptors and StreamInterceptors are called for each call, the
	// first outermost. They run inside of the log and the token check, and see
	// INTERNAL where a handler panics. Calls of unknown methods, which fail with
	// UNIMPLEMENTED, go through StreamInterceptors. Streams may be sent messages
	// that wrap one of a generated type: see Follow.
	UnaryInterceptors  []grpc.UnaryServerInterceptor
	StreamInterceptors []grpc.StreamServerInterceptor
	// StatsHandlers are told of calls and connections, as those for metrics and
	// traces want it. Calls over HTTP come over one connection in memory.
	StatsHandlers []stats.Handler
	// ServerOptions are further options of the gRPC servers. They override what
	// other fields say. Interceptors among them run inside of those above,
	// except those of grpc.UnaryInterceptor and grpc.StreamInterceptor, which
	// run outside of everything.
	ServerOptions []grpc.ServerOption
	// NoReflection leaves out gRPC reflection.
	NoReflection bool

	// Logger gets a line per call, and what happens besides; nil means
	// slog.Default().
	Logger *slog.Logger

	// OnShutdown is called, one after the other, when the end begins: health is
	// NOT_SERVING by then, and streams still live. It is the place to close an
	// event log, so that its readers get what is left and their streams end
	// well. The context ends with ShutdownTimeout. Errors are returned by Serve.
	OnShutdown []func(context.Context) error
	// ShutdownDelay is how long calls are still taken after health became
	// NOT_SERVING, for load balancers to notice; 0 means not at all.
	ShutdownDelay time.Duration
	// StreamGrace is how long streams may go on after OnShutdown, before their
	// contexts are cancelled and they end with UNAVAILABLE; 0 means one second,
	// a negative number not at all.
	StreamGrace time.Duration
	// ShutdownTimeout is when what still runs is cut off, counted from when the
	// context of Serve ended; 0 means 10 seconds.
	ShutdownTimeout time.Duration

	flags *flag.FlagSet // that AddFlags has registered flags in
}

// AddFlags registers flags for the fields that whoever starts a server wants to
// set: addresses, TLS, token, CORS, limits and shutdown. What the fields hold is
// the flags' default; the first use of a flag for a list replaces it. Errors then
// name flags beside fields: those of addresses, which a program may let its own
// flags set, only if they were given.
func (c *Config) AddFlags(flags *flag.FlagSet) {
	c.flags = flags
	list := func(p *[]string, name, usage string) { flags.Var(&listFlag{p: p}, name, usage+"; may be repeated") }
	list(&c.GRPC, "grpc", "`address` to serve gRPC on: host:port, unix:///path or fd://3")
	list(&c.HTTP, "http", "`address` to serve HTTP/JSON on, as for -grpc")
	flags.Func("socket-mode", "`mode` of socket files, in octal (default 0600)", func(s string) error {
		m, err := strconv.ParseUint(s, 8, 32)
		c.SocketMode = fs.FileMode(m)
		return err
	})
	flags.StringVar(&c.SocketOwner, "socket-owner", c.SocketOwner, "`user:group` that socket files belong to")
	flags.BoolVar(&c.Insecure, "insecure", c.Insecure, "allow addresses that other machines reach without TLS")
	flags.StringVar(&c.TLSCert, "tls-cert", c.TLSCert, "`file` with the server's certificate chain (PEM)")
	flags.StringVar(&c.TLSKey, "tls-key", c.TLSKey, "`file` with the server's key (PEM)")
	flags.StringVar(&c.TLSClientCA, "tls-client-ca", c.TLSClientCA,
		"`file` with the authorities that clients' certificates must come from (PEM)")
	flags.StringVar(&c.TokenFile, "token-file", c.TokenFile, "`file` with the bearer token that callers have to send")
	list(&c.CORSOrigins, "cors-origin", "`origin` whose web pages may use the HTTP API, or *")
	list(&c.Hosts, "host", "`name` besides localhost that HTTP requests may be for on a loopback address, or *")
	flags.BoolVar(&c.DefaultRoutes, "default-routes", c.DefaultRoutes,
		"serve POST /package.Service/Method for services without HTTP routes")
	flags.BoolVar(&c.NoReflection, "no-reflection", c.NoReflection, "leave out gRPC reflection")
	flags.IntVar(&c.MaxRecvBytes, "max-recv-bytes", cmp.Or(c.MaxRecvBytes, defaultMaxRecv),
		"size `limit` of received messages")
	flags.DurationVar(&c.CallTimeout, "call-timeout", c.CallTimeout,
		"deadline of unary calls that have none; 0 means none")
	flags.DurationVar(&c.ShutdownTimeout, "shutdown-timeout", cmp.Or(c.ShutdownTimeout, defaultShutdownTimeout),
		"when calls that still run are cut off at the end")
}

// flagNames are the flags of fields that errors name.
var flagNames = map[string]string{
	"GRPC": "grpc", "HTTP": "http", "SocketMode": "socket-mode", "SocketOwner": "socket-owner", "Insecure": "insecure",
	"TLSCert": "tls-cert", "TLSKey": "tls-key", "TLSClientCA": "tls-client-ca", "TokenFile": "token-file",
	"CORSOrigins": "cors-origin", "Hosts": "host", "CallTimeout": "call-timeout",
}

// field is the name of fields for a message, and of the flags that there are for
// them: "Config.TLSCert and Config.TLSKey (-tls-cert, -tls-key)".
func (c *Config) field(names ...string) string {
	var flags []string
	for _, n := range names {
		if name := flagNames[n]; name != "" && c.flags != nil && c.flags.Lookup(name) != nil {
			flags = append(flags, "-"+name)
		}
	}
	s := "Config." + strings.Join(names, " and Config.")
	if len(flags) > 0 {
		s += " (" + strings.Join(flags, ", ") + ")"
	}
	return s
}

// addresses is field for those of addresses. Its flag counts if it was given.
func (c *Config) addresses(name string) string {
	given := false
	if c.flags != nil {
		c.flags.Visit(func(f *flag.Flag) { given = given || f.Name == flagNames[name] })
	}
	if !given {
		return "Config." + name
	}
	return c.field(name)
}

// toExpose says what an address that other machines reach needs.
func (c *Config) toExpose() string {
	return c.field("TLSCert", "TLSKey") + ", or " + c.field("Insecure")
}

// listFlag is a flag that adds to a list. The first use drops the default.
type listFlag struct {
	p   *[]string
	set bool
}

func (l *listFlag) String() string {
	if l.p == nil {
		return ""
	}
	return strings.Join(*l.p, ",")
}

func (l *listFlag) Set(s string) error {
	if !l.set {
		*l.p, l.set = nil, true
	}
	*l.p = append(*l.p, s)
	return nil
}

// The defaults of the fields of Config.
const (
	defaultMaxRecv           = 4 << 20
	defaultMaxSend           = 64 << 20
	defaultMaxHeader         = 64 << 10
	defaultMaxStreams        = 4096
	defaultHandshakeTimeout  = 10 * time.Second
	defaultReadTimeout       = time.Minute
	defaultWriteTimeout      = time.Minute
	defaultIdleGRPC          = 15 * time.Minute
	defaultIdleHTTP          = 2 * time.Minute
	defaultKeepaliveInterval = time.Minute
	defaultKeepaliveTimeout  = 20 * time.Second
	defaultMinPing           = 10 * time.Second
	defaultSSEHeartbeat      = 15 * time.Second
	defaultStreamGrace       = time.Second
	defaultShutdownTimeout   = 10 * time.Second
)

// withDefaults is the configuration with each zero that stands for a default
// replaced by it.
func (c Config) withDefaults() Config {
	if len(c.GRPC) == 0 && len(c.HTTP) == 0 {
		c.GRPC = []string{"127.0.0.1:0"}
	}
	c.SocketMode = cmp.Or(c.SocketMode, 0o600)
	c.MaxRecvBytes = limit(c.MaxRecvBytes, defaultMaxRecv)
	c.MaxSendBytes = limit(c.MaxSendBytes, defaultMaxSend)
	c.MaxBodyBytes = limit(c.MaxBodyBytes, min(c.MaxRecvBytes, maxLimit/2)*2)
	c.MaxHeaderBytes = limit(c.MaxHeaderBytes, defaultMaxHeader)
	c.MaxStreams = limit(c.MaxStreams, defaultMaxStreams)
	c.HandshakeTimeout = cmp.Or(c.HandshakeTimeout, defaultHandshakeTimeout)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, defaultReadTimeout)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, defaultWriteTimeout)
	c.KeepaliveInterval = cmp.Or(c.KeepaliveInterval, defaultKeepaliveInterval)
	c.KeepaliveTimeout = cmp.Or(c.KeepaliveTimeout, defaultKeepaliveTimeout)
	c.MinPingInterval = cmp.Or(c.MinPingInterval, defaultMinPing)
	c.SSEHeartbeat = cmp.Or(c.SSEHeartbeat, defaultSSEHeartbeat)
	c.LivePath = cmp.Or(c.LivePath, "/healthz")
	c.ReadyPath = cmp.Or(c.ReadyPath, "/readyz")
	c.StreamGrace = cmp.Or(c.StreamGrace, defaultStreamGrace)
	c.ShutdownTimeout = cmp.Or(c.ShutdownTimeout, defaultShutdownTimeout)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

// maxLimit is what no limit is: a size that no message, and no number of
// streams, comes near. It fits 32 bits.
const maxLimit = 1<<31 - 1

func limit(n, byDefault int) int {
	switch {
	case n == 0:
		return byDefault
	case n < 0:
		return maxLimit
	}
	return min(n, maxLimit)
}

// check tells all that is wrong with the configuration and the services. It
// opens nothing.
func (c *Config) check(services []Service) error {
	var errs []error
	bad := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf("serve: "+field+": "+format, args...))
	}
	secure := c.TLSCert != "" || c.Insecure
	for _, list := range []struct {
		field string
		addrs []string
	}{{c.addresses("GRPC"), c.GRPC}, {c.addresses("HTTP"), c.HTTP}} {
		for _, s := range list.addrs {
			if a, err := parseAddress(s); err != nil {
				bad(list.field, "%w", err)
			} else if err := a.checkExposure(secure, c.toExpose()); err != nil {
				bad(list.field, "%w", err)
			}
		}
	}
	if c.SocketMode&^fs.ModePerm != 0 {
		bad(c.field("SocketMode"), "%#o has bits besides those of permissions", uint32(c.SocketMode))
	}
	if _, _, err := lookupOwner(c.SocketOwner); err != nil {
		bad(c.field("SocketOwner"), "%w", err)
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		bad(c.field("TLSCert", "TLSKey"), "one is set without the other")
	}
	if c.TLSClientCA != "" && c.TLSCert == "" {
		bad(c.field("TLSClientCA"), "needs %s", c.field("TLSCert", "TLSKey"))
	}
	if c.Token != "" && c.TokenFile != "" {
		bad(c.field("Token", "TokenFile"), "both are set; use one")
	}
	if c.Token != "" {
		if err := checkToken(c.Token); err != nil {
			bad("Config.Token", "%w", err)
		}
	}
	for _, o := range c.CORSOrigins {
		if err := checkOrigin(o); err != nil {
			bad(c.field("CORSOrigins"), "%w", err)
		}
	}
	for _, h := range c.Hosts {
		if err := checkHostName(h); err != nil {
			bad(c.field("Hosts"), "%w", err)
		}
	}
	if !c.JSON.valid() {
		bad("Config.JSON", "%d is none of the package's constants", int(c.JSON))
	}
	for _, p := range []struct{ field, path string }{
		{"Config.LivePath", c.LivePath}, {"Config.ReadyPath", c.ReadyPath},
	} {
		if p.path != "" && p.path != "-" && !strings.HasPrefix(p.path, "/") {
			bad(p.field, "%q does not begin with a slash", p.path)
		}
	}
	for _, d := range []struct {
		field string
		d     time.Duration
	}{
		{c.field("CallTimeout"), c.CallTimeout},
		{"Config.MaxConnectionAge", c.MaxConnectionAge},
		{"Config.ShutdownDelay", c.ShutdownDelay},
	} {
		if d.d < 0 {
			bad(d.field, "%s is negative; 0 means none", d.d)
		}
	}
	errs = append(errs, checkServices(services)...)
	return errors.Join(errs...)
}

func checkServices(services []Service) []error {
	if len(services) == 0 {
		return []error{errors.New("serve: there are no services to serve")}
	}
	var errs []error
	seen := map[string]bool{}
	for i, s := range services {
		switch {
		case s.Desc == nil:
			errs = append(errs, fmt.Errorf("serve: service %d has no Desc", i+1))
		case seen[s.Name()]:
			errs = append(errs, fmt.Errorf("serve: service %s is there twice", s.Name()))
		default:
			seen[s.Name()] = true
		}
	}
	return errs
}
