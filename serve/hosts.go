package serve

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// anyHost is the entry of Config.Hosts that allows all.
const anyHost = "*"

// checkHostName refuses what is no name of a host.
func checkHostName(s string) error {
	if _, err := netip.ParseAddr(s); err == nil || s == anyHost {
		return nil
	}
	if u, err := url.Parse("//" + s); err != nil || s == "" || u.Host != s || strings.ContainsAny(s, ":*") {
		return fmt.Errorf(`%q is no host: want a name or an IP address, without a port, or "*"`, s)
	}
	return nil
}

// loopbackKey marks the contexts of requests that come over a listener on a
// loopback address.
type loopbackKey struct{}

// markLoopback is for http.Server.BaseContext.
func markLoopback(l net.Listener) context.Context {
	a, ok := l.Addr().(*net.TCPAddr)
	return context.WithValue(context.Background(), loopbackKey{}, ok && a.IP.IsLoopback())
}

// checkHost refuses requests for hosts that a server on a loopback address is not
// known by. A web page can make a name of its own stand for 127.0.0.1, and is then
// of the same origin as the server, for the browser; but the request names that
// host. Clients that are no browsers may name none.
func (s *Server) checkHost(next http.Handler, fail failFunc) http.Handler {
	known := map[string]bool{"": true}
	for _, h := range s.cfg.Hosts {
		known[hostName(h)] = true
	}
	for _, o := range s.cfg.CORSOrigins {
		if u, err := url.Parse(o); err == nil {
			known[hostName(u.Host)] = true
		}
	}
	if slices.Contains(s.cfg.Hosts, anyHost) || slices.Contains(s.cfg.CORSOrigins, "*") {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostName(r.Host)
		if loopback, _ := r.Context().Value(loopbackKey{}).(bool); loopback && !known[host] && !isLoopbackName(host) {
			fail(w, r, status.Errorf(codes.PermissionDenied, "the host %q is refused: this server listens on a "+
				"loopback address, and answers to localhost, loopback addresses and %s", host, s.cfg.field("Hosts")))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostName is a host without its port, in the form in which hosts are compared.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// isLoopbackName tells whether a name, from hostName, can only stand for this
// machine.
func isLoopbackName(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
