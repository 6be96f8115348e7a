package mcp

import (
	"context"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The six tools, in schemas of our own. Paths are written as the memory tool writes
// them.

func (s *Server) addSix() {
	addTool(s, "memory_list", "List memories", `List the memories below a folder, in the order of their paths: path, size, content_sha256 and when it changed last.
With depth 1 only what lies in the folder itself, and the folders in it.`, reads, s.listTool)
	addTool(s, "memory_search", "Search memories", `Find memories that hold all the words of a query, in their text or their path, the best first, each with the lines that match.
Without a capital letter both cases are found; "several words" in quotes are found together.`, reads, s.searchTool)
	addTool(s, "memory_read", "Read a memory", `Read a memory, or some lines of it. What it gives as content_sha256 is the precondition for a write that must not overwrite what others wrote meanwhile.`, reads, s.readTool)
	addTool(s, "memory_write", "Write a memory", `Create a memory, or replace the whole text of one. With a precondition nothing is overwritten that you have not seen: content_sha256 says what the memory must hold now, not_exists that there must be none.`, writes, s.writeTool)
	addTool(s, "memory_edit", "Edit a memory", `Replace text that occurs exactly once in a memory. The rest stays as it is.`, writes, s.editTool)
	addTool(s, "memory_delete", "Delete a memory", `Delete one memory. Its versions are kept, a person can bring it back.`, writes, s.deleteTool)
}

const (
	reads  = true
	writes = false
)

// addTool adds a tool whose refusals are results with isError.
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

// error is what the model is told of one.
func (c *call) error(err error) error {
	if told, ok := refused("", err); ok {
		return told
	}
	return errors.New(c.s.plainly(err, c.by))
}

// at is the store and the place in it that a path names.
func (c *call) at(path string) (at place, p memfs.Path, err error) {
	outside, err := memfs.ParseToolPath(path)
	if err != nil {
		return place{}, memfs.Path{}, err
	}
	return find(c.places, outside)
}

// about words an error of the engine that is about a path.
func about(path string, err error) error {
	if err == nil {
		return nil
	}
	told, _ := refused(path, err)
	return told
}

type listIn struct {
	Path  string `json:"path,omitempty" jsonschema:"the folder to list; left out, all of /memories"`
	Depth int    `json:"depth,omitempty" jsonschema:"0: everything below the folder; 1: only what lies in it"`
	Limit int    `json:"limit,omitempty" jsonschema:"at most so many items, 1 to 1000; left out, 100"`
	Page  string `json:"page,omitempty" jsonschema:"next_page of the answer before, to read on"`
}

type listOut struct {
	Memories []listedMemory `json:"memories" jsonschema:"in byte order of their paths"`
	Folders  []string       `json:"folders" jsonschema:"with depth 1: the folders in the folder, with a final slash"`
	NextPage string         `json:"next_page,omitempty" jsonschema:"there is more; pass it as page"`
}

type listedMemory struct {
	Path   string `json:"path"`
	Size   int64  `json:"content_size_bytes"`
	SHA256 string `json:"content_sha256"`
	Time   string `json:"updated_at" jsonschema:"when it changed last, RFC 3339"`
	Binary bool   `json:"binary,omitempty" jsonschema:"not UTF-8 text: it can't be read or edited here"`
}

type searchIn struct {
	Query  string `json:"query" jsonschema:"words and \"quoted phrases\", all of which must be found"`
	Path   string `json:"path,omitempty" jsonschema:"only below this folder"`
	Regexp bool   `json:"regexp,omitempty" jsonschema:"the query is one regular expression (RE2), looked for line by line"`
	Limit  int    `json:"limit,omitempty" jsonschema:"at most so many memories, 1 to 100; left out, 20"`
}

type searchOut struct {
	Results []foundMemory `json:"results" jsonschema:"the best first"`
	Total   int           `json:"total" jsonschema:"how many memories match"`
}

type foundMemory struct {
	Path    string      `json:"path"`
	SHA256  string      `json:"content_sha256"`
	Matches int         `json:"matches" jsonschema:"places in the text"`
	Lines   []foundLine `json:"lines" jsonschema:"at most five lines that match"`
}

type foundLine struct {
	Line int    `json:"line" jsonschema:"counted from 1"`
	Text string `json:"text" jsonschema:"a long line is cut around what was found"`
}

type readIn struct {
	Path  string `json:"path" jsonschema:"the memory, below /memories"`
	First int    `json:"first_line,omitempty" jsonschema:"begin with this line, counted from 1"`
	Last  int    `json:"last_line,omitempty" jsonschema:"end with this line; left out, the last one"`
}

type readOut struct {
	Path    string `json:"path"`
	Content string `json:"content" jsonschema:"the text, or the lines that were asked for"`
	Lines   int    `json:"lines" jsonschema:"of the whole memory"`
	Size    int64  `json:"content_size_bytes" jsonschema:"of the whole memory"`
	SHA256  string `json:"content_sha256" jsonschema:"of the whole memory"`
	Version string `json:"memory_version_id,omitempty"`
	Time    string `json:"updated_at,omitempty" jsonschema:"when it changed last, RFC 3339"`
}

// precondition is what must hold for a write to be made.
type precondition struct {
	Type   string `json:"type" jsonschema:"content_sha256: the memory holds exactly this; not_exists: there is none"`
	SHA256 string `json:"content_sha256,omitempty" jsonschema:"64 hexadecimal digits, as an answer gave them"`
}

type writeIn struct {
	Path    string       `json:"path" jsonschema:"where, below /memories; folders are made as needed"`
	Content string       `json:"content" jsonschema:"the whole text"`
	Pre     precondition `json:"precondition,omitzero"`
}

type editIn struct {
	Path string       `json:"path" jsonschema:"the memory, below /memories"`
	Old  string       `json:"old_str" jsonschema:"the text to replace, exactly as it stands in the memory"`
	New  string       `json:"new_str,omitempty" jsonschema:"the text to put in its place; left out, the text is removed"`
	Pre  precondition `json:"precondition,omitzero"`
}

type deleteIn struct {
	Path   string `json:"path" jsonschema:"the memory, below /memories; a folder is refused"`
	SHA256 string `json:"expected_content_sha256,omitempty" jsonschema:"delete it only if it holds this"`
}

// writeOut is what became of a memory.
type writeOut struct {
	Path      string `json:"path"`
	Operation string `json:"operation" jsonschema:"created, modified, deleted, or unchanged: it held this already"`
	Size      int64  `json:"content_size_bytes,omitempty"`
	SHA256    string `json:"content_sha256,omitempty"`
	Version   string `json:"memory_version_id,omitempty"`
	Change    int64  `json:"change,omitempty" jsonschema:"the number of the change in the store's history"`
}
