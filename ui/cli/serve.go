package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/memtrail/memtrail/agent/storesapi"
	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) serveCommand() *cobra.Command {
	var listen, tokenFile string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the stores by the memory-stores API",
		Long: `Serve the stores of the home over HTTP, by the memory-stores API: the official
SDKs work with them when their base URL is the one that is printed first. What
clients write shows on the screens at once, and what is written there, or by
other programs into the folders, shows to clients.

It listens on this machine only, on a port that is free, and takes any key; each
key is an actor of its own, of which a hash is kept and not the key. To listen
elsewhere a token is needed, which clients send as their key: --token-file names
a file that holds it, and nothing else.

An interrupt ends it when the requests that are under way are answered. What it
does is logged in the home, in log/serve.log, without contents and keys.`,
		Example: `  memtrail serve
  memtrail serve --listen 127.0.0.1:4000
  ANTHROPIC_BASE_URL=http://127.0.0.1:4000 ANTHROPIC_API_KEY=any node notes.mjs
  memtrail serve --listen 0.0.0.0:4000 --token-file token.txt`,
		Args: misused(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withDoor(cmd.Context(), "serve", func(ctx context.Context, d *door) error {
				return p.serve(ctx, d, listen, tokenFile)
			})
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 is any that is free")
	cmd.Flags().StringVar(&tokenFile, "token-file", "", "`FILE` with the key that clients must send")
	return cmd
}

// How long a client may take: others must not wait for one that never comes to its
// end. Answers have a time of their own.
const (
	headerTime  = 10 * time.Second
	requestTime = time.Minute
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
	finishTime  = 30 * time.Second // for requests under way when the server ends
)

// serve answers until ctx ends, and then finishes what is under way.
func (p *program) serve(ctx context.Context, d *door, address, tokenFile string) error {
	token, err := readToken(tokenFile)
	if err != nil {
		return err
	}
	local, err := loopback(address)
	if err != nil {
		return misusef("memtrail serve", "--listen %s: %v", address, err)
	}
	if !local && token == "" {
		return &hinted{fmt.Errorf("listen on %s: other machines could read and change everything", address),
			"name a file that holds a token with --token-file, or listen on 127.0.0.1"}
	}
	return p.withTrail(ctx, func(t *versions.Trail) error {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if op := (*net.OpError)(nil); errors.As(err, &op) {
			err = op.Err // the address is named already
		}
		if err != nil {
			return fmt.Errorf("listen on %s: %w", address, err)
		}
		api := storesapi.New(storesapi.Options{Trail: t, Token: token, Local: local, Log: d.log})
		server := &http.Server{Handler: api, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, IdleTimeout: idleTime,
			MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelWarn)}
		url := urlOf(l.Addr())
		p.println("%s", url)
		if err := p.out.Flush(); err != nil {
			return errors.Join(&outputError{err}, l.Close())
		}
		d.log.Info("open", "url", url, "token", token != "", "home", t.Home())
		return errors.Join(answerUntil(ctx, d, server, l), api.Close())
	})
}

// answerUntil runs a server until ctx ends, and finishes what is under way.
func answerUntil(ctx context.Context, d *door, server *http.Server, l net.Listener) error {
	ended := make(chan error, 1)
	d.Go(func() { ended <- server.Serve(l) })
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	d.log.Info("closing")
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	if err := server.Shutdown(wait); err != nil {
		return errors.Join(fmt.Errorf("requests are still under way: %w", err), server.Close())
	}
	d.log.Info("closed")
	return nil
}

// loopback reports whether an address is one that only this machine can reach.
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

// urlOf is where a server that listens there is reached: on this machine, when it
// listens on every address of it, for such an address is none to connect to.
func urlOf(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + addr.String()
}

// minToken is as short as a key can be that nobody guesses.
const minToken = 16

// readToken reads the key that clients must send; "" where none is asked for.
func readToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", &hinted{fmt.Errorf("%s holds no token: it is one word of %d letters or more", file, minToken), "`openssl rand -hex 32 > FILE` makes one"}
	}
	return token, nil
}
