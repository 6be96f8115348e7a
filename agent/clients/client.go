package clients

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Program is the name of the server in clients' settings, and of the program that they start.
const Program = "memend"

// Server is an MCP server in a client's settings: either a command that the client starts or a URL.
type Server struct {
	Command string
	Args    []string
	URL     string
	Headers map[string]string
}

// Scope selects whose settings are changed.
type Scope string

const (
	User    Scope = "user"    // all projects of the person
	Project Scope = "project" // one folder
)

// Scopes lists all scopes.
var Scopes = []Scope{User, Project}

// Places holds the folders in which clients look for their settings.
type Places struct {
	System string // a value of runtime.GOOS
	Home   string // the person's
	Folder string // the project's
	Getenv func(string) string
}

// Client is a program that runs agents.
type Client struct {
	Name  string // in memend's commands
	Title string // as its maker writes it
	Local bool   // it only starts servers and can't connect to a URL

	nameParts []string // substrings of its name over MCP, in lower case
	servers   map[Scope]place
	hooks     map[Scope]place
	path      []string // of the object that contains the servers
	form      func(Server) []field
	newer     *newerForm // an alternative form that files may have
	known     []string   // the keys of form; other keys in a server's object are the person's
	toml      bool
}

// newerForm is how a later version of a client writes its servers. That version also reads the older form, so a
// file is never converted.
type newerForm struct {
	path []string
	form func(Server) []field
}

// in returns the client with the form that a file uses.
func (c Client) in(d *document) Client {
	if c.newer == nil {
		return c
	}
	n := d.at(c.newer.path...)
	if !isObject(n) {
		return c
	}
	for _, key := range []string{"type", "command", "url", "enabled"} {
		if m := get(n, key); m != nil && !isObject(m) { // a server of the older form with this name
			return c
		}
	}
	c.path, c.form = c.newer.path, c.newer.form
	return c
}

// place returns the path of a file, or "" if the environment does not determine it.
type place func(Places) string

// field is one key of a server's object; fields are written in order.
type field struct {
	key   string
	value any
}

// All returns all clients, sorted by name.
func All() []Client { return slices.Clone(table) }

// Find returns the client with a name.
func Find(name string) (Client, bool) {
	i := slices.IndexFunc(table, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return table[i], true
}

// Names returns the names of all clients.
func Names() (out []string) {
	for _, c := range table {
		out = append(out, c.Name)
	}
	return out
}

// Is reports whether name, as sent over MCP, is the client's.
func (c Client) Is(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(c.nameParts, func(part string) bool { return strings.Contains(name, part) })
}

// Manual reports whether a person has to add the server to the client's settings: this package does not know its files.
func (c Client) Manual() bool { return c.servers == nil }

// ServersFile returns the file with the client's MCP servers, or "" if there is none in this scope.
func (c Client) ServersFile(p Places, s Scope) string { return c.servers[s].in(p) }

// HooksFile returns the file with the client's hooks, or "" if there is none in this scope.
func (c Client) HooksFile(p Places, s Scope) string { return c.hooks[s].in(p) }

func (f place) in(p Places) string {
	if f == nil {
		return ""
	}
	return f(p)
}

// Constructors of places.

func inHome(parts ...string) place {
	return func(p Places) string { return below(p.Home, parts...) }
}

func inProject(parts ...string) place {
	return func(p Places) string { return below(p.Folder, parts...) }
}

// inOwn returns a place in the client's own folder, which an environment variable may move.
func inOwn(variable, usual string, parts ...string) place {
	return func(p Places) string {
		if dir := strings.TrimSpace(p.Getenv(variable)); dir != "" {
			return below(dir, parts...)
		}
		return below(p.Home, append([]string{usual}, parts...)...)
	}
}

// inConfig returns a place in the platform's folder for settings, as used by Electron programs.
func inConfig(parts ...string) place {
	return func(p Places) string {
		switch p.System {
		case "windows":
			return below(p.Getenv("APPDATA"), parts...)
		case "darwin":
			return below(p.Home, append([]string{"Library", "Application Support"}, parts...)...)
		}
		return inXDG(parts...)(p)
	}
}

// inXDG returns a place below $XDG_CONFIG_HOME, on every platform.
func inXDG(parts ...string) place {
	return func(p Places) string {
		if dir := p.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return below(dir, parts...)
		}
		return below(p.Home, append([]string{".config"}, parts...)...)
	}
}

func below(dir string, parts ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// claudeServers is ~/.claude.json, or in $CLAUDE_CONFIG_DIR.
func claudeServers(p Places) string {
	return below(cmp.Or(strings.TrimSpace(p.Getenv("CLAUDE_CONFIG_DIR")), p.Home), ".claude.json")
}

// The forms of servers.

// form returns the usual form: local is the type of a server that is started, remote the type of one with a URL,
// and url the key of the URL.
func form(local, remote, url string, more ...field) func(Server) []field {
	return func(s Server) (out []field) {
		add := func(key string, value any) {
			if value != "" {
				out = append(out, field{key, value})
			}
		}
		if s.URL != "" {
			add("type", remote)
			add(url, s.URL)
			if len(s.Headers) > 0 {
				add("headers", s.Headers)
			}
		} else {
			add("type", local)
			add("command", s.Command)
			add("args", s.Args)
		}
		return append(out, more...)
	}
}

// opencodeForm has the command and its arguments in one array.
func opencodeForm(s Server) []field {
	if s.URL == "" {
		return []field{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}, {"enabled", true}}
	}
	return append(form("", "remote", "url")(s), field{"enabled", true})
}

// opencode2Form returns the form of opencode 2 (opencode.ai/v2/docs/mcp-servers, November 2026): the servers are in
// mcp.servers, and there is no "enabled".
func opencode2Form(s Server) []field {
	old := opencodeForm(s)
	return old[:len(old)-1]
}

func codexForm(s Server) []field {
	if s.URL == "" {
		return []field{{"command", s.Command}, {"args", s.Args}}
	}
	out := []field{{"url", s.URL}}
	if len(s.Headers) > 0 {
		out = append(out, field{"http_headers", s.Headers})
	}
	return out
}

var (
	usualKeys = []string{"type", "command", "args", "url", "httpUrl", "headers"}
	mcpKeys   = []string{"mcpServers"}
)

// table has a row for each client. It includes the environment variables that move files. A client without files is
// set up by hand.
var table = []Client{
	{Name: "claude-code", Title: "Claude Code", nameParts: []string{"claude-code"}, path: mcpKeys, form: form("stdio", "http", "url"), known: usualKeys,
		servers: map[Scope]place{User: claudeServers, Project: inProject(".mcp.json")},
		hooks:   map[Scope]place{User: inOwn("CLAUDE_CONFIG_DIR", ".claude", "settings.json"), Project: inProject(".claude", "settings.json")}},
	{Name: "claude-desktop", Title: "Claude Desktop", nameParts: []string{"claude-ai", "claude desktop"}, Local: true, path: mcpKeys, form: form("", "", "url")},
	{Name: "cline", Title: "Cline", nameParts: []string{"cline"}, path: mcpKeys, form: form("", "streamableHttp", "url")},
	{Name: "codex", Title: "Codex", nameParts: []string{"codex"}, path: []string{"mcp_servers"}, form: codexForm, toml: true,
		servers: map[Scope]place{User: inOwn("CODEX_HOME", ".codex", "config.toml"), Project: inProject(".codex", "config.toml")}},
	{Name: "copilot", Title: "Copilot CLI", nameParts: []string{"github-copilot", "copilot-cli"}, path: mcpKeys, form: form("local", "http", "url", field{"tools", []string{"*"}})},
	{Name: "cursor", Title: "Cursor", nameParts: []string{"cursor"}, path: mcpKeys, form: form("", "http", "url"), known: usualKeys,
		servers: map[Scope]place{User: inHome(".cursor", "mcp.json"), Project: inProject(".cursor", "mcp.json")}},
	{Name: "gemini", Title: "Gemini CLI", nameParts: []string{"gemini"}, path: mcpKeys, form: form("", "", "httpUrl"), known: usualKeys,
		servers: map[Scope]place{User: inOwn("GEMINI_CLI_HOME", "", ".gemini", "settings.json"), Project: inProject(".gemini", "settings.json")}},
	{Name: "opencode", Title: "OpenCode", nameParts: []string{"opencode"}, path: []string{"mcp"}, form: opencodeForm, known: usualKeys,
		newer:   &newerForm{[]string{"mcp", "servers"}, opencode2Form},
		servers: map[Scope]place{User: inXDG("opencode", "opencode.json"), Project: inProject("opencode.json")}},
	{Name: "qwen", Title: "Qwen Code", nameParts: []string{"qwen"}, path: mcpKeys, form: form("", "", "httpUrl")},
	{Name: "vscode", Title: "VS Code", nameParts: []string{"visual studio code", "vscode"}, path: []string{"servers"}, form: form("stdio", "http", "url"), known: usualKeys,
		servers: map[Scope]place{User: inConfig("Code", "User", "mcp.json"), Project: inProject(".vscode", "mcp.json")}},
}

// object is a JSON object with ordered keys.
type object []field

func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	for i, f := range o {
		value, err := marshal(f.value)
		if err != nil {
			return nil, err
		}
		sep := ","
		if i == 0 {
			sep = "{"
		}
		fmt.Fprintf(&b, "%s%q:%s", sep, f.key, value)
	}
	return []byte(b.String() + "}"), nil
}

// marshal is json.Marshal without the escapes for HTML.
func marshal(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// Settings returns the text of a new settings file with the server.
func (c Client) Settings(s Server) (string, error) {
	text, err := c.SetServer(nil, s)
	return string(text), err
}

// SetServer returns a file's text with the server added or replaced under the name Program. Keys that the person
// added to the server's object are kept.
func (c Client) SetServer(text []byte, s Server) ([]byte, error) {
	if c.toml {
		return setTable(text, c.path[0], Program, c.form(s))
	}
	d, err := newDocument(text)
	if err != nil {
		return nil, err
	}
	if now := c.in(d); !slices.Equal(now.path, c.path) {
		d.dropKey(c.path, Program) // the server in the older form
		c = now
	}
	if err := d.object(c.path...); err != nil {
		return nil, err
	}
	want := c.form(s)
	at := append(slices.Clone(c.path), Program)
	own := d.at(at...)
	if !isObject(own) {
		d.set(c.path, Program, object(want))
		return d.text(), nil
	}
	for _, f := range want {
		if old := get(own, f.key); old == nil || !sameValue(decode(old), f.value) {
			d.set(at, f.key, f.value)
		}
	}
	for _, key := range c.known { // remove the keys of the other kind of server
		if !slices.ContainsFunc(want, func(f field) bool { return f.key == key }) {
			d.dropKey(at, key)
		}
	}
	return d.text(), nil
}

// sameValue reports whether a decoded value equals one to be written.
func sameValue(read, write any) bool {
	a, err := marshal(read)
	b, werr := marshal(write)
	return err == nil && werr == nil && a == b // keys of maps are sorted
}

// RemoveServer returns a file's text without the server.
func (c Client) RemoveServer(text []byte) ([]byte, error) {
	if c.toml {
		return removeTable(text, c.path[0], Program)
	}
	d, err := newDocument(text)
	if err != nil {
		return nil, err
	}
	if d.at(append(slices.Clone(c.in(d).path), Program)...) == nil {
		return text, nil
	}
	d.dropKey(c.in(d).path, Program)
	return d.text(), nil
}

// Server returns the server named Program in a file's text.
func (c Client) Server(text []byte) (s Server, ok bool, err error) {
	var own map[string]any
	if c.toml {
		own, err = readTable(text, c.path[0], Program)
	} else {
		var d *document
		if d, err = newDocument(text); err == nil {
			own, _ = decode(d.at(append(slices.Clone(c.in(d).path), Program)...)).(map[string]any)
		}
	}
	if err != nil || own == nil {
		return s, false, err
	}
	s.Args = words(own["args"])
	switch command := own["command"].(type) {
	case string:
		s.Command = command
	case []any:
		if all := words(command); len(all) > 0 {
			s.Command, s.Args = all[0], all[1:]
		}
	}
	for _, key := range []string{"url", "httpUrl"} {
		if url, ok := own[key].(string); ok {
			s.URL = url
		}
	}
	for _, key := range []string{"headers", "http_headers"} {
		all, _ := own[key].(map[string]any)
		for name, value := range all {
			if text, ok := value.(string); ok {
				if s.Headers == nil {
					s.Headers = map[string]string{}
				}
				s.Headers[name] = text
			}
		}
	}
	return s, true, nil
}

// words returns the strings of an array.
func words(v any) (out []string) {
	all, _ := v.([]any)
	for _, x := range all {
		if s, ok := x.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
