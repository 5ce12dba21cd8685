package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// address is a parsed address of Config.GRPC or Config.HTTP.
type address struct {
	scheme string // tcp, unix or fd
	host   string // of tcp, with 127.0.0.1 for none
	port   string
	path   string // of unix
	name   string // of fd: a number, a name, or nothing
}

func (a address) String() string {
	switch a.scheme {
	case "unix":
		return "unix://" + a.path
	case "fd":
		return "fd://" + a.name
	}
	return net.JoinHostPort(a.host, a.port)
}

const addressForms = "host:port, tcp://host:port, unix:///path or fd://number"

func parseAddress(s string) (address, error) {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		scheme, rest = "tcp", s
	}
	switch scheme {
	case "tcp":
		host, port, err := net.SplitHostPort(rest)
		if err != nil {
			return address{}, fmt.Errorf("%q is no address: want %s", s, addressForms)
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return address{}, fmt.Errorf("%q has no port between 0 and 65535", s)
		}
		if host == "" {
			host = "127.0.0.1"
		}
		return address{scheme: scheme, host: host, port: port}, nil
	case "unix":
		if !filepath.IsAbs(rest) {
			return address{}, fmt.Errorf("%q has no absolute path: want unix:///path", s)
		}
		return address{scheme: scheme, path: filepath.Clean(rest)}, nil
	case "fd":
		if n, err := strconv.Atoi(rest); err == nil && n < firstFD {
			return address{}, fmt.Errorf("%q is a standard stream: inherited sockets begin with fd://%d", s, firstFD)
		}
		return address{scheme: scheme, name: rest}, nil
	}
	return address{}, fmt.Errorf("%q has the unknown scheme %q: want %s", s, scheme, addressForms)
}

// checkExposure refuses an address that other machines reach, unless it is
// secure. What is inherited is looked at when it is open.
// What it needs is told in the error.
func (a address) checkExposure(secure bool, needs string) error {
	if secure || a.scheme != "tcp" || isLoopback(a.host) {
		return nil
	}
	return exposed(a.String(), needs)
}

func exposed(addr, needs string) error {
	return fmt.Errorf("other machines reach %s: it needs TLS with %s", addr, needs)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func isUnix(a net.Addr) bool { return a.Network() == "unix" }

// opener opens addresses.
type opener struct {
	mode   fs.FileMode // of socket files
	owner  string
	secure bool   // addresses may be reached by other machines
	needs  string // what they would need for that
}

// all opens addresses, or none.
func (o opener) all(protocol string, addrs []string) (lns []net.Listener, err error) {
	for _, s := range addrs {
		opened, err := o.open(s)
		if err != nil {
			for _, l := range lns {
				l.Close()
			}
			return nil, fmt.Errorf("serve: %s: %w", protocol, err)
		}
		lns = append(lns, opened...)
	}
	return lns, nil
}

func (o opener) open(s string) ([]net.Listener, error) {
	a, err := parseAddress(s)
	if err != nil {
		return nil, err
	}
	var l net.Listener
	switch a.scheme {
	case "fd":
		return o.inherited(a)
	case "unix":
		l, err = o.unix(a.path)
	default:
		l, err = net.Listen("tcp", a.String())
		if err != nil {
			err = explainListen(a, err)
		}
	}
	if err != nil {
		return nil, err
	}
	return []net.Listener{l}, nil
}

// explainListen tells what to do about an address that cannot be opened.
func explainListen(a address, err error) error {
	switch {
	case isAddrInUse(err):
		return fmt.Errorf(
			"%s is in use: stop the process that serves there, or choose another port (0 is a free one)", a)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s needs privileges that the process has not: %w", a, err)
	}
	return err
}

// answerTimeout is how long whoever may serve a socket file has to take a
// connection.
const answerTimeout = time.Second

// unix opens a socket file. One that is there is taken away only if nobody
// answers on it.
func (o opener) unix(path string) (net.Listener, error) {
	unlock, err := lockDir(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("unix://%s: %w", path, err)
	}
	defer unlock()
	if err := removeStale(path); err != nil {
		return nil, err
	}
	lc := net.ListenConfig{Control: socketMode(o.mode)}
	l, err := lc.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	sl := &socketListener{UnixListener: l.(*net.UnixListener), path: path}
	sl.SetUnlinkOnClose(false)
	if err := sl.own(o); err != nil {
		sl.Close()
		return nil, fmt.Errorf("unix://%s: %w", path, err)
	}
	return sl, nil
}

func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("unix://%s: %w", path, err)
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("unix://%s: there is a file that is no socket; it stays: choose another path", path)
	}
	conn, err := net.DialTimeout("unix", path, answerTimeout)
	switch {
	case err == nil:
		conn.Close()
		return fmt.Errorf("unix://%s is in use: another process serves there", path)
	case !isRefused(err):
		return fmt.Errorf("unix://%s: there is a socket, which may be in use: %w", path, err)
	}
	return os.Remove(path)
}

// socketListener removes its file when it is closed, if the file is still its
// own.
type socketListener struct {
	*net.UnixListener
	path string
	file fs.FileInfo
	once sync.Once
}

// own gives the file the mode and the owner that it is to have.
func (l *socketListener) own(o opener) (err error) {
	if l.file, err = os.Lstat(l.path); err != nil {
		return err
	}
	uid, gid, err := lookupOwner(o.owner)
	if err != nil {
		return err
	}
	if uid >= 0 || gid >= 0 {
		if err := os.Lchown(l.path, uid, gid); err != nil {
			return err
		}
	}
	return os.Chmod(l.path, o.mode)
}

func (l *socketListener) Close() error {
	l.once.Do(func() {
		if now, err := os.Lstat(l.path); err == nil && l.file != nil && os.SameFile(now, l.file) {
			os.Remove(l.path)
		}
	})
	return l.UnixListener.Close()
}

// lookupOwner is the number of a user and a group; -1 for one not named.
func lookupOwner(s string) (uid, gid int, err error) {
	uid, gid = -1, -1
	name, group, _ := strings.Cut(s, ":")
	if name != "" {
		if uid, err = strconv.Atoi(name); err != nil {
			u, err := user.Lookup(name)
			if err != nil {
				return -1, -1, fmt.Errorf("there is no user %q", name)
			}
			uid, _ = strconv.Atoi(u.Uid)
		}
	}
	if group != "" {
		if gid, err = strconv.Atoi(group); err != nil {
			g, err := user.LookupGroup(group)
			if err != nil {
				return -1, -1, fmt.Errorf("there is no group %q", group)
			}
			gid, _ = strconv.Atoi(g.Gid)
		}
	}
	return uid, gid, nil
}

// firstFD is the first descriptor that can be inherited, as systemd has it.
const firstFD = 3

// inherited opens the sockets of an address of the scheme fd.
func (o opener) inherited(a address) ([]net.Listener, error) {
	fds, err := inheritedFDs(a.name, os.Getenv, os.Getpid())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a, err)
	}
	var lns []net.Listener
	for _, fd := range fds {
		l, err := o.fromFD(fd)
		if err != nil {
			for _, l := range lns {
				l.Close()
			}
			return nil, fmt.Errorf("fd://%d: %w", fd, err)
		}
		lns = append(lns, l)
	}
	return lns, nil
}

func (o opener) fromFD(fd int) (net.Listener, error) {
	f := os.NewFile(uintptr(fd), "socket")
	if f == nil {
		return nil, errors.New("there is no such descriptor")
	}
	defer f.Close() // the listener has its own
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("it is no listening socket that was inherited: %w", err)
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && !o.secure && !tcp.IP.IsLoopback() {
		l.Close()
		return nil, exposed(tcp.String(), o.needs)
	}
	return l, nil
}

// inheritedFDs are the descriptors that a number, a name or nothing stands for,
// as sd_listen_fds(3) has it.
func inheritedFDs(name string, getenv func(string) string, pid int) ([]int, error) {
	if n, err := strconv.Atoi(name); err == nil {
		return []int{n}, nil
	}
	n, err := strconv.Atoi(getenv("LISTEN_FDS"))
	if err != nil || n < 1 {
		return nil, errors.New("no sockets were passed: LISTEN_FDS is not set")
	}
	if p := getenv("LISTEN_PID"); p != "" && p != strconv.Itoa(pid) {
		return nil, fmt.Errorf("the sockets were passed to another process: LISTEN_PID is %s", p)
	}
	names := strings.Split(getenv("LISTEN_FDNAMES"), ":")
	var fds []int
	for i := range n {
		if name == "" || i < len(names) && names[i] == name {
			fds = append(fds, firstFD+i)
		}
	}
	if len(fds) == 0 {
		return nil, fmt.Errorf("no socket was passed under that name: LISTEN_FDNAMES is %q", getenv("LISTEN_FDNAMES"))
	}
	return fds, nil
}

// handshakes knows the connections that are not ready for calls yet, so that
// they do not hold up a shutdown.
type handshakes struct {
	mu     sync.Mutex
	conns  map[*handshakeConn]struct{}
	closed bool
}

// close closes connections that are not ready, and those that still come.
func (h *handshakes) close() {
	h.mu.Lock()
	h.closed = true
	conns := h.conns
	h.conns = nil
	h.mu.Unlock()
	for c := range conns {
		c.Conn.Close()
	}
}

func (h *handshakes) add(c *handshakeConn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		c.Conn.Close()
		return
	}
	if h.conns == nil {
		h.conns = map[*handshakeConn]struct{}{}
	}
	h.conns[c] = struct{}{}
}

// done forgets a connection, and tells whether it was there.
func (h *handshakes) done(c *handshakeConn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.conns[c]
	delete(h.conns, c)
	return ok
}

func (h *handshakes) listener(l net.Listener, log *slog.Logger) net.Listener {
	return &handshakeListener{Listener: l, h: h, log: log}
}

type handshakeListener struct {
	net.Listener
	h   *handshakes
	log *slog.Logger
}

func (l *handshakeListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &handshakeConn{Conn: conn, l: l}
	l.h.add(c)
	return c, nil
}

// handshakeConn is a connection that a gRPC server has taken. The server gives
// it a deadline for the time of the handshake, and takes that away after it.
type handshakeConn struct {
	net.Conn
	l *handshakeListener
	// read is set when something was read, shaking during a TLS handshake, whose
	// errors are logged elsewhere.
	read, shaking atomic.Bool
}

func (c *handshakeConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && !c.read.Load() {
		c.read.Store(true)
	}
	return n, err
}

func (c *handshakeConn) SetDeadline(t time.Time) error {
	if t.IsZero() {
		c.l.h.done(c)
	}
	return c.Conn.SetDeadline(t)
}

func (c *handshakeConn) Close() error {
	// A connection that says nothing is often a check whether the port is open.
	if c.l.h.done(c) && c.read.Load() && !c.shaking.Load() {
		c.l.log.Warn("connection closed: its client does not speak gRPC",
			"peer", addrString(c.Conn.RemoteAddr()), "protocol", "grpc")
	}
	return c.Conn.Close()
}
