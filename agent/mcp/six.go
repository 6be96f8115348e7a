package mcp

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// The six tools have schemas of our own. Paths are written as in the memory tool.

func (s *Server) addSix() {
	addTool(s, "memory_list", "List memories", `List the memories below a folder, sorted by path. Each has its path, size, content_sha256 and the time of its last change.
With depth 1, list only the memories and folders directly in the folder.`, reads, s.listTool)
	addTool(s, "memory_search", "Search memories", `Find memories whose text or path contains all words of a query. The best match comes first. Each result has the lines that match.
A query without capital letters ignores case. Words in "double quotes" must appear together.`, reads, s.searchTool)
	addTool(s, "memory_read", "Read a memory", `Read a memory, or some of its lines. Pass the content_sha256 of the result as the precondition of a write, so that the write does not overwrite what others wrote in the meantime.`, reads, s.readTool)
	addTool(s, "memory_write", "Write a memory", `Create a memory, or replace its whole text. Pass a precondition to avoid overwriting text that you have not read: with content_sha256 the memory must still have that content; with not_exists there must be no memory at the path.`, writes, s.writeTool)
	addTool(s, "memory_edit", "Edit a memory", `Replace text that occurs exactly once in a memory. The rest of the memory does not change.`, writes, s.editTool)
	addTool(s, "memory_delete", "Delete a memory", `Delete one memory. Its versions are kept, and a person can restore it.`, writes, s.deleteTool)
}

const (
	reads  = true
	writes = false
)

// addTool adds a tool; its refusals become results with isError.
func addTool[In, Out any](s *Server, name, title, description string, readOnly bool, do func(*call, In) (Out, error)) {
	tool := &mcp.Tool{Name: name, Title: title, Description: description,
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: readOnly, OpenWorldHint: &no}}
	if !readOnly {
		tool.Annotations.DestructiveHint = &yes
	}
	mcp.AddTool(s.sdk, tool, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		ctx, done := s.limit(ctx)
		defer done()
		caller := s.caller(req.Session)
		c := &call{ctx: ctx, s: s, by: caller.by(req.ClientInfo(), req.Params.Meta, req.Extra)}
		var out Out
		var err error
		if _, c.places, err = caller.memory(ctx, c.by); err == nil {
			out, err = do(c, in)
		}
		if err != nil {
			var none Out
			return nil, none, c.error(err)
		}
		return nil, out, nil
	})
}

// call is one call of a tool.
type call struct {
	ctx    context.Context
	s      *Server
	by     versions.By
	places []place
}

// error converts an error into the one for the model.
func (c *call) error(err error) error {
	if modelErr, ok := refused("", err); ok {
		return modelErr
	}
	return errors.New(c.s.plainly(err, c.by))
}

// at returns the store that a path names, and the path within it.
func (c *call) at(path string) (at place, p memfs.Path, err error) {
	outside, err := memfs.ParseToolPath(path)
	if err != nil {
		return place{}, memfs.Path{}, err
	}
	return find(c.places, outside)
}

// about words an error of the engine about a path.
func about(path string, err error) error {
	if err == nil {
		return nil
	}
	modelErr, _ := refused(path, err)
	return modelErr
}

type listIn struct {
	Path  string `json:"path,omitempty" jsonschema:"the folder to list; default: /memories"`
	Depth int    `json:"depth,omitempty" jsonschema:"0: everything below the folder; 1: only what is directly in it"`
	Limit int    `json:"limit,omitempty" jsonschema:"the maximum number of items, 1 to 1000; default: 100"`
	Page  string `json:"page,omitempty" jsonschema:"next_page of the previous result, to get the next items"`
}

type listOut struct {
	Memories []listedMemory `json:"memories" jsonschema:"sorted by path, byte by byte"`
	Folders  []string       `json:"folders" jsonschema:"with depth 1: the folders in the folder, each with a slash at the end"`
	NextPage string         `json:"next_page,omitempty" jsonschema:"present if there are more items; pass it as page"`
}

type listedMemory struct {
	Path   string `json:"path"`
	Size   int64  `json:"content_size_bytes"`
	SHA256 string `json:"content_sha256"`
	Time   string `json:"updated_at" jsonschema:"when the memory last changed, RFC 3339"`
	Binary bool   `json:"binary,omitempty" jsonschema:"not UTF-8 text, so it can't be read or edited with these tools"`
}

type searchIn struct {
	Query  string `json:"query" jsonschema:"words and \"quoted phrases\"; all of them must match"`
	Path   string `json:"path,omitempty" jsonschema:"search only below this folder"`
	Regexp bool   `json:"regexp,omitempty" jsonschema:"the query is a regular expression (RE2) that is matched against each line"`
	Limit  int    `json:"limit,omitempty" jsonschema:"the maximum number of memories, 1 to 100; default: 20"`
}

type searchOut struct {
	Results []foundMemory `json:"results" jsonschema:"the best match first"`
	Total   int           `json:"total" jsonschema:"how many memories match"`
}

type foundMemory struct {
	Path    string      `json:"path"`
	SHA256  string      `json:"content_sha256"`
	Matches int         `json:"matches" jsonschema:"how many times the text matches"`
	Lines   []foundLine `json:"lines" jsonschema:"the first lines that match, at most five"`
}

type foundLine struct {
	Line int    `json:"line" jsonschema:"counted from 1"`
	Text string `json:"text" jsonschema:"a long line is shortened around the match"`
}

type readIn struct {
	Path  string `json:"path" jsonschema:"the memory, below /memories"`
	First int    `json:"first_line,omitempty" jsonschema:"the first line to read, counted from 1"`
	Last  int    `json:"last_line,omitempty" jsonschema:"the last line to read; default: the last line of the memory"`
}

type readOut struct {
	Path    string `json:"path"`
	Content string `json:"content" jsonschema:"the text, or the requested lines"`
	Lines   int    `json:"lines" jsonschema:"of the whole memory"`
	Size    int64  `json:"content_size_bytes" jsonschema:"of the whole memory"`
	SHA256  string `json:"content_sha256" jsonschema:"of the whole memory"`
	Version string `json:"memory_version_id,omitempty"`
	Time    string `json:"updated_at,omitempty" jsonschema:"when the memory last changed, RFC 3339"`
}

// precondition must hold for a write to happen.
type precondition struct {
	Type   string `json:"type" jsonschema:"content_sha256: the memory has exactly this content; not_exists: there is no memory at the path"`
	SHA256 string `json:"content_sha256,omitempty" jsonschema:"64 hexadecimal digits, as in an earlier result"`
}

type writeIn struct {
	Path    string       `json:"path" jsonschema:"the path, below /memories; missing folders are created"`
	Content string       `json:"content" jsonschema:"the whole text"`
	Pre     precondition `json:"precondition,omitzero"`
}

type editIn struct {
	Path string       `json:"path" jsonschema:"the memory, below /memories"`
	Old  string       `json:"old_str" jsonschema:"the text to replace, exactly as in the memory"`
	New  string       `json:"new_str,omitempty" jsonschema:"the new text; default: the old text is removed"`
	Pre  precondition `json:"precondition,omitzero"`
}

type deleteIn struct {
	Path   string `json:"path" jsonschema:"the memory, below /memories; not a folder"`
	SHA256 string `json:"expected_content_sha256,omitempty" jsonschema:"delete the memory only if it has this content"`
}

// writeOut is the outcome of a write.
type writeOut struct {
	Path      string `json:"path"`
	Operation string `json:"operation" jsonschema:"created, modified, deleted, or unchanged (the memory had this content already)"`
	Size      int64  `json:"content_size_bytes,omitempty"`
	SHA256    string `json:"content_sha256,omitempty"`
	Version   string `json:"memory_version_id,omitempty"`
	Change    int64  `json:"change,omitempty" jsonschema:"the number of the change in the store's history"`
}
