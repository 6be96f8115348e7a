package cli

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/memend/memend/agent/clients"
)

// clientPlaces returns where the clients of this person look for settings, including those
// of the working directory.
func clientPlaces() (clients.Places, error) {
	at := clients.Places{System: runtime.GOOS, Getenv: os.Getenv}
	var err error
	if at.Home, err = os.UserHomeDir(); err != nil {
		return at, &hinted{err, "set HOME"}
	}
	at.Folder, err = os.Getwd()
	return at, err
}

// clientState describes what is set up for a client in one scope.
type clientState struct {
	client  clients.Client
	scope   clients.Scope
	servers string // the file with the server; "" if there is none for this scope
	hooks   string
	server  *clients.Server // nil if it is not set up
	lines   []clients.Hook
	err     error // why a file can't be read
}

// clientStates returns the state of all clients in all scopes that have settings.
func clientStates(at clients.Places) (out []clientState) {
	for _, c := range clients.All() {
		for _, scope := range clients.Scopes {
			s := clientState{client: c, scope: scope, servers: c.ServersFile(at, scope), hooks: c.HooksFile(at, scope)}
			if scope == clients.Project && s.hooks == c.HooksFile(at, clients.User) { // in the person's home folder, both scopes have the same file
				s.hooks = ""
			}
			if s.servers != "" {
				out = append(out, s.read())
			}
		}
	}
	return out
}

func (s clientState) read() clientState {
	_, err := clients.Plan(s.servers, func(text []byte) ([]byte, error) {
		server, ok, err := s.client.Server(text)
		if ok {
			s.server = &server
		}
		return text, err
	})
	if err == nil && s.hooks != "" {
		_, err = clients.Plan(s.hooks, func(text []byte) (_ []byte, err error) {
			s.lines, err = clients.ReadHooks(text)
			return text, err
		})
	}
	s.err = err
	return s
}

// isSetUp reports whether the files contain anything of ours.
func (s *clientState) isSetUp() bool { return s.server != nil || len(s.lines) > 0 }

// has describes what is set up.
func (s clientState) has() string {
	var parts []string
	if s.server != nil && s.server.URL != "" {
		parts = append(parts, "mcp ("+s.server.URL+")")
	} else if s.server != nil {
		parts = append(parts, "mcp")
	}
	if len(s.lines) > 0 {
		parts = append(parts, "hooks")
	}
	switch {
	case s.err != nil:
		return "can't be read: " + s.err.Error()
	case len(parts) == 0:
		return "-"
	}
	return strings.Join(parts, ", ")
}

type clientJSON struct {
	Client  string `json:"client"`
	Title   string `json:"title"`
	Scope   string `json:"scope"`
	File    string `json:"file"`
	MCP     bool   `json:"mcp"`
	URL     string `json:"url,omitempty"`
	Hooks   bool   `json:"hooks"`
	Problem string `json:"problem,omitempty"`
}

// setupList lists the clients.
func setupList(p *console) error {
	at, err := clientPlaces()
	if err != nil {
		return err
	}
	states := clientStates(at)
	names, parts := widest(states, func(s clientState) string { return s.client.Name }), min(widest(states, clientState.has), 40)
	for _, s := range states {
		if p.json {
			j := clientJSON{Client: s.client.Name, Title: s.client.Title, Scope: string(s.scope), File: s.servers, MCP: s.server != nil, Hooks: len(s.lines) > 0}
			if s.server != nil {
				j.URL = s.server.URL
			}
			if s.err != nil {
				j.Problem = s.err.Error()
			}
			p.emit(j)
			continue
		}
		p.tableLine(fmt.Sprintf("%s  %-7s  %s  ", p.column(s.client.Name, names), s.scope, p.column(s.has(), parts)), p.safe(shortFolder(at.Home, s.servers)), "")
	}
	return nil
}
