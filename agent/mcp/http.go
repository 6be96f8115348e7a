package mcp

import (
	"net/http"
	"time"

	"github.com/memend/memend/agent/tokens"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Endpoint is the path of the server's URL.
const Endpoint = "/mcp"

// idleSession is how long a client over HTTP may be silent: many leave without closing their
// session.
const idleSession = 4 * time.Hour

// writeTimeout is how long a client may take to receive a write.
const writeTimeout = 30 * time.Second

// clientHeader names the client that a request's token was issued to. Only Handler
// sets it.
const clientHeader = "X-Memend-Client"

// Handler serves clients over streamable HTTP, each with its own session, if the guard admits
// them. It refuses requests from web pages of other origins, and those that reach a loopback
// address by another name.
func (s *Server) Handler(guard tokens.Guard) http.Handler {
	sessions := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{
		SessionTimeout:      idleSession,
		MaxRequestBodyBytes: maxMessage,
		Logger:              s.sdkLog(),
	})
	mux := http.NewServeMux()
	mux.Handle(Endpoint, http.NewCrossOriginProtection().Handler(sessions))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, ok := guard.Admit(r.Header)
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer realm="memend"`)
			http.Error(w, "the token is missing or wrong: send it as authorization: Bearer, or as x-api-key", http.StatusUnauthorized)
			return
		}
		if r.Header.Del(clientHeader); client != "" {
			r.Header.Set(clientHeader, client)
		}
		slow := &deadlineWriter{w, http.NewResponseController(w), s.o.writeTimeout}
		defer slow.wait() // for the rest of the answer, which may be all of it
		mux.ServeHTTP(slow, r)
	})
}

// deadlineWriter gives a client limited time for each write, so that a stalled one does not block the
// server for ever. A stream of events may stay open without limit.
type deadlineWriter struct {
	http.ResponseWriter
	to   *http.ResponseController
	time time.Duration
}

func (p *deadlineWriter) Write(b []byte) (int, error) {
	p.wait()
	return p.ResponseWriter.Write(b)
}

// wait restarts the time. A connection without deadlines has no limit.
func (p *deadlineWriter) wait() { _ = p.to.SetWriteDeadline(time.Now().Add(p.time)) }

// Unwrap implements the contract of http.ResponseController.
func (p *deadlineWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
