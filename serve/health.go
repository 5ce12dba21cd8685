package serve

import (
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
)

const healthPrefix = "/grpc.health.v1.Health/"

// registerHealth adds the health service, unless there is one among the
// services.
func (s *Server) registerHealth(g *grpc.Server) {
	for _, svc := range s.services {
		if svc.Name() == grpc_health_v1.Health_ServiceDesc.ServiceName {
			return
		}
	}
	grpc_health_v1.RegisterHealthServer(g, s.health)
}

// initHealth makes each service known to the health service, as not serving.
func (s *Server) initHealth() {
	for _, svc := range s.services {
		s.health.SetServingStatus(svc.Name(), grpc_health_v1.HealthCheckResponse_SERVING)
	}
	s.health.Shutdown()
}

// live answers while the process runs.
func (s *Server) live(w http.ResponseWriter, _ *http.Request, _ map[string]string) {
	writeText(w, http.StatusOK, "ok\n")
}

// serveReady answers whether calls are taken.
func (s *Server) serveReady(w http.ResponseWriter, _ *http.Request, _ map[string]string) {
	if !s.ready.Load() {
		writeText(w, http.StatusServiceUnavailable, "not ready\n")
		return
	}
	writeText(w, http.StatusOK, "ready\n")
}

func writeText(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text))
}
