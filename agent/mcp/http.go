package mcp

import (
	"net/http"
	"time"

	"github.com/memend/memend/agent/tokens"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Endpoint is the path of the server's URL.
const Endpoint = "/mcp"

// idleSession is how long a client over HTTP may be silent: many leave without a word.
const idleSession = 4 * time.Hour

// patience is how long a client may take to accept what it is sent.
const patience = 30 * time.Second

// clientHeader names the client that a request's token was issued to. Only Handler
// sets it.
const clientHeader = "X-Memend-Client"

// Handler serves clients over streamable HTTP, each with a session of its own, if the
// guard lets them in. Requests of web pages of other origins are refused, and those
// that reach a loopback address by another name.
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
		slow := &patient{w, http.NewResponseController(w), s.o.patience}
		defer slow.wait() // what is still to be sent, which may be all of it
		mux.ServeHTTP(slow, r)
	})
}

// patient gives a client some time for each write, so that one that stands still
// holds up nobody for ever. A stream of events may stay open for as long as it likes.
type patient struct {
	http.ResponseWriter
	to   *http.ResponseController
	time time.Duration
}

func (p *patient) Write(b []byte) (int, error) {
	p.wait()
	return p.ResponseWriter.Write(b)
}

// wait begins the time anew. Where a connection has no such time it waits for ever.
func (p *patient) wait() { _ = p.to.SetWriteDeadline(time.Now().Add(p.time)) }

// Unwrap is for http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }
