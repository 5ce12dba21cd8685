package serve

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// corsMaxAge is how many seconds browsers may remember what they may do.
const corsMaxAge = "600"

// checkOrigin refuses what is no origin.
func checkOrigin(s string) error {
	if s == "*" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != s {
		return fmt.Errorf(`%q is no origin: want "scheme://host" or "scheme://host:port", or "*"`, s)
	}
	return nil
}

func (s *Server) allowsOrigin(origin string) bool {
	return origin != "" && (slices.Contains(s.cfg.CORSOrigins, "*") || slices.Contains(s.cfg.CORSOrigins, origin))
}

// cors tells browsers which pages may use the API. Requests to ask for that,
// which have no token, end here.
func (s *Server) cors(next http.Handler) http.Handler {
	if len(s.cfg.CORSOrigins) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		if !s.allowsOrigin(origin) {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
		method := r.Header.Get("Access-Control-Request-Method")
		if r.Method != http.MethodOptions || method == "" {
			h.Set("Access-Control-Expose-Headers", "*")
			next.ServeHTTP(w, r)
			return
		}
		h.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
		h.Set("Access-Control-Allow-Methods", method)
		if headers := r.Header.Get("Access-Control-Request-Headers"); headers != "" {
			h.Set("Access-Control-Allow-Headers", headers)
		}
		h.Set("Access-Control-Max-Age", corsMaxAge)
		w.WriteHeader(http.StatusNoContent)
	})
}

// sameSite refuses requests with which a page of another origin would change
// something: browsers send simple ones without asking first. Clients that are
// no browsers are not concerned.
func (s *Server) sameSite(next http.Handler, fail failFunc) http.Handler {
	check := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := check.Check(r); err != nil && !s.allowsOrigin(r.Header.Get("Origin")) {
			fail(w, r, status.Error(codes.PermissionDenied,
				"requests from web pages of another origin are refused: see "+s.cfg.field("CORSOrigins")))
			return
		}
		next.ServeHTTP(w, r)
	})
}
