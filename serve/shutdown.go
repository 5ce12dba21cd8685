package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// flushTime is how long clients have, after the last call, to take what was
// sent to them.
const flushTime = time.Second

// abandonTime is how long Serve waits for handlers whose connections were cut.
const abandonTime = time.Second

// stop shuts down in the steps that Serve tells.
func (s *Server) stop(ctx context.Context, served *sync.WaitGroup) error {
	ctx, cancel := context.WithoutCancel(ctx), context.CancelFunc(func() {})
	if s.cfg.ShutdownTimeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.cfg.ShutdownTimeout)
	}
	defer cancel()
	s.SetReady(false)
	sleep(ctx, s.cfg.ShutdownDelay, nil)

	drained := make(chan struct{})
	go func() {
		defer close(drained)
		s.drain(ctx)
		served.Wait()
	}()
	s.handshakes.close()
	err := s.runHooks(ctx)
	sleep(ctx, s.cfg.StreamGrace, drained)
	s.end(ErrShutdown)

	select {
	case <-drained:
	case <-ctx.Done():
		err = errors.Join(err, ErrForced)
	case <-s.active.idle():
		sleep(ctx, flushTime, drained)
	}
	s.cut(drained)
	s.log.Info("stopped")
	return err
}

// drain closes the listeners and waits for calls to end. The HTTP side goes
// first: its requests need the inner server.
func (s *Server) drain(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(s.outer.GracefulStop)
	if g := s.gateway; g != nil {
		wg.Go(func() {
			g.conns.closeNew()
			_ = g.http.Shutdown(ctx)
			g.inner.GracefulStop()
		})
	}
	wg.Wait()
}

// cut closes what is still open. Handlers that do not care that their context
// has ended are left behind.
func (s *Server) cut(drained <-chan struct{}) {
	if s.gateway != nil {
		defer s.gateway.close()
	}
	select {
	case <-drained:
		return
	default:
	}
	// In goroutines: stopping waits for handlers if a graceful stop does.
	go s.outer.Stop()
	if g := s.gateway; g != nil {
		_ = g.http.Close()
		go g.inner.Stop()
	}
	sleep(context.Background(), abandonTime, drained)
	if n := s.active.count(); n > 0 {
		s.log.Error("calls still run though their contexts have ended", "calls", n)
	}
}

// runHooks calls the functions of Config.OnShutdown, and waits for them as long
// as the context lives.
func (s *Server) runHooks(ctx context.Context) error {
	done := make(chan error, 1)
	go func() {
		var errs []error
		for _, hook := range s.cfg.OnShutdown {
			if err := hook(ctx); err != nil {
				errs = append(errs, fmt.Errorf("serve: at shutdown: %w", err))
			}
		}
		done <- errors.Join(errs...)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errors.New("serve: at shutdown: a function of Config.OnShutdown did not return in time")
	}
}

// sleep waits for a time, the end of a context or a channel.
func sleep(ctx context.Context, d time.Duration, done <-chan struct{}) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-done:
	}
}

// gauge counts calls that run.
type gauge struct {
	mu   sync.Mutex
	n    int
	zero chan struct{} // closed when n is 0; nil if nobody waits
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n += n
	if g.n == 0 && g.zero != nil {
		close(g.zero)
		g.zero = nil
	}
}

func (g *gauge) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.n
}

// idle is a channel that is closed when no call runs.
func (g *gauge) idle() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.zero == nil {
		g.zero = make(chan struct{})
	}
	c := g.zero
	if g.n == 0 {
		close(c)
		g.zero = nil
	}
	return c
}

// forever replaces a time-out that means none, for those who know no none.
func forever(d time.Duration) time.Duration {
	if d < 0 {
		return 100 * 365 * 24 * time.Hour
	}
	return d
}

// atLeastZero replaces a time-out that means none, for those who take 0 for it.
func atLeastZero(d time.Duration) time.Duration { return max(d, 0) }
