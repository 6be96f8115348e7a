package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/memend/memend/agent/tokens"
	"github.com/spf13/cobra"
)

// listenFlags holds the flags of a server for agents: its address and who may connect.
type listenFlags struct {
	flag      string // the name of the flag with the address
	address   string
	tokenFile string
	noToken   bool
	cert, key string
	insecure  bool
}

func (l *listenFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&l.tokenFile, "token-file", "", "`FILE` with the token that clients must send, instead of the home's own")
	flags.BoolVar(&l.noToken, "no-token", false, "accept clients without a token: every program and user of this machine can read and change everything that is served")
	flags.StringVar(&l.cert, "tls-cert", "", "serve HTTPS with the certificate in `FILE`")
	flags.StringVar(&l.key, "tls-key", "", "`FILE` with the key of the certificate")
	flags.BoolVar(&l.insecure, "insecure", false, "accept other machines without TLS: tokens and memories can be read on the network")
}

// given reports whether a flag was given that is useful only for a server.
func (l *listenFlags) given() bool {
	return l.tokenFile != "" || l.noToken || l.cert != "" || l.key != "" || l.insecure
}

// check refuses settings that would let others in without an explicit flag.
func (l *listenFlags) check(command string) (local bool, err error) {
	local, err = loopback(l.address)
	switch {
	case err != nil:
		return false, misusef(command, "%s %s: %v", l.flag, l.address, err)
	case l.noToken && l.tokenFile != "":
		return false, misusef(command, "--no-token and --token-file exclude each other")
	case (l.cert == "") != (l.key == ""):
		return false, misusef(command, "--tls-cert and --tls-key must be given together")
	case !local && l.noToken:
		return false, &hinted{fmt.Errorf("listen on %s: other machines could read and change everything", l.address), "leave out --no-token, or listen on 127.0.0.1"}
	case !local && l.cert == "" && !l.insecure:
		return false, &hinted{fmt.Errorf("listen on %s: the token and the memories would cross the network unencrypted", l.address),
			"give a certificate with --tls-cert and --tls-key, listen on 127.0.0.1 behind a proxy or a tunnel, or accept it with --insecure"}
	}
	return local, nil
}

// listenGuard returns who may connect. The home must exist.
func listenGuard(p *console, env *environment, l *listenFlags) (tokens.Guard, error) {
	if l.noToken {
		return tokens.Guard{}, nil
	}
	home, err := env.homeFolder()
	if err != nil {
		return tokens.Guard{}, err
	}
	g := tokens.Guard{Clients: tokens.In(home)}
	if l.tokenFile != "" {
		g.Token, err = readToken(l.tokenFile)
		return g, err
	}
	if err := mayPrintToken(p.stdout); err != nil {
		return tokens.Guard{}, err
	}
	g.Token, err = g.Clients.Own()
	if errors.Is(err, tokens.ErrToken) {
		err = &hinted{err, "delete the file; the next server creates another token"}
	}
	return g, err
}

// tokenText returns the token for a snippet. A token from the user's own file is not printed.
func (l *listenFlags) tokenText(g tokens.Guard) string {
	if l.tokenFile != "" {
		return "$(cat " + shellWord(l.tokenFile) + ")"
	}
	return g.Token
}

// mayPrintToken refuses to print a token into a file that others can read.
func mayPrintToken(stdout io.Writer) error {
	f, ok := stdout.(*os.File)
	if !ok || runtime.GOOS == "windows" {
		return nil
	}
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() || fi.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return &misuse{&hinted{fmt.Errorf("print the token: other users can read the file that standard output goes to (mode %04o)", fi.Mode().Perm()),
		"run `umask 077` before it creates the file, or name a file of yours with --token-file"}, ""}
}

// readToken reads the token that clients must send.
func readToken(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if !tokens.Valid(token) {
		return "", &hinted{fmt.Errorf("%s contains no token: a token is one word of at least %d characters", file, tokens.MinLength), "`openssl rand -hex 32 > FILE` creates one"}
	}
	return token, nil
}

// Time limits for clients: a client that never finishes its request must not block the
// others. Responses are not limited.
const (
	headerTime  = 10 * time.Second
	requestTime = time.Minute
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
	finishTime  = 5 * time.Second // for requests in progress when the server ends
)

// server is an HTTP server with its listener.
type server struct {
	*http.Server
	listener net.Listener
	bodies   *bodies
	url      string
}

// listen opens the listener. The caller prints the URL and then calls answer.
func listen(ctx context.Context, p *console, d *door, l *listenFlags, handler http.Handler) (*server, error) {
	var certs []tls.Certificate
	scheme := "http"
	if l.cert != "" {
		cert, err := tls.LoadX509KeyPair(l.cert, l.key)
		if err != nil {
			return nil, fmt.Errorf("read the certificate: %w", err)
		}
		certs, scheme = []tls.Certificate{cert}, "https"
	}
	at, err := (&net.ListenConfig{}).Listen(ctx, "tcp", l.address)
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		err = op.Err // the message names the address already
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", l.address, err)
	}
	s := &server{listener: at, bodies: &bodies{open: map[*body]bool{}}, url: urlOf(scheme, at.Addr())}
	s.Server = &http.Server{Handler: s.bodies.watch(handler), ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelWarn)}
	if certs != nil {
		s.listener = tls.NewListener(at, &tls.Config{Certificates: certs, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	}
	if l.noToken {
		fmt.Fprintln(p.err, "memend: no token is required: every program and user of this machine can read and change everything that is served")
	}
	return s, nil
}

// answer serves until ctx ends. Then it cuts off requests whose bodies are incomplete, and
// gives the others a short time to finish.
func (s *server) answer(ctx context.Context, d *door) error {
	ended := make(chan error, 1)
	d.Go(func() { ended <- s.Serve(s.listener) })
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	d.log.Info("closing")
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	s.bodies.cut()
	if err := s.Shutdown(wait); err != nil {
		d.log.Warn("requests were cut off", "after", finishTime)
		return s.Close()
	}
	d.log.Info("closed")
	return nil
}

// loopback reports whether only this machine can reach an address.
func loopback(address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, err
	}
	if host == "localhost" {
		return true, nil
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback(), nil
}

// urlOf returns the URL of a listener. A listener on all addresses is reached on 127.0.0.1,
// because clients can't connect to the unspecified address.
func urlOf(scheme string, addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("%s://127.0.0.1:%d", scheme, tcp.Port)
	}
	return scheme + "://" + addr.String()
}
