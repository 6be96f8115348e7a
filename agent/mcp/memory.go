package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

func (s *Server) addTools() {
	if s.o.Tools != SixTools {
		s.sdk.AddTool(memoryTool, s.memory)
	}
	if s.o.Tools != MemoryTool {
		s.addSix()
	}
}

var yes, no = true, false

// memoryTool is described as in the Messages API, because models know that description. Its
// arguments are not checked against the schema: the engine reports mistakes in the protocol's
// words.
var memoryTool = &mcp.Tool{
	Name:        agent.MemoryTool,
	Title:       "Memory",
	Description: memoryDescription,
	InputSchema: json.RawMessage(memorySchema),
	Annotations: &mcp.ToolAnnotations{Title: "Memory", DestructiveHint: &yes, OpenWorldHint: &no},
}

const memoryDescription = `Your memory: text files below /memories that are kept after this conversation ends. Commands:
- view: list a directory (path), or show a file with line numbers (path; view_range for some of its lines)
- create: create a new file (path, file_text)
- str_replace: replace text that occurs exactly once (path, old_str, new_str)
- insert: insert text after a line; line 0 is the top (path, insert_line, insert_text)
- delete: delete a file or a directory (path)
- rename: rename or move a file or a directory (old_path, new_path)`

const memorySchema = `{
 "type": "object",
 "properties": {
  "command": {"type": "string", "enum": ["view", "create", "str_replace", "insert", "delete", "rename"], "description": "The command to run"},
  "path": {"type": "string", "description": "The file or directory: /memories or a path below it. Used by all commands except rename"},
  "view_range": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2, "description": "view: the first and the last line to show, counted from 1; -1 is the last line of the file"},
  "file_text": {"type": "string", "description": "create: the text of the new file"},
  "old_str": {"type": "string", "description": "str_replace: the text to replace, exactly as in the file"},
  "new_str": {"type": "string", "description": "str_replace: the new text; default: the old text is removed"},
  "insert_line": {"type": "integer", "minimum": 0, "description": "insert: insert after this line; 0 is the top of the file"},
  "insert_text": {"type": "string", "description": "insert: the text to insert"},
  "old_path": {"type": "string", "description": "rename: the file or directory to move"},
  "new_path": {"type": "string", "description": "rename: the new path"}
 },
 "required": ["command"]
}`

// memory runs one call of the memory tool.
func (s *Server) memory(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, done := s.limit(ctx)
	defer done()
	c := s.caller(req.Session)
	by := c.by(req.ClientInfo(), req.Params.Meta, req.Extra)
	block, err := json.Marshal(toolUseBlock{"tool_use", by.ToolUse, agent.MemoryTool, req.Params.Arguments})
	if err != nil {
		return result(memfs.Result{Text: "Error: the input is not a JSON object", IsError: true}), nil
	}
	m, _, err := c.memory(ctx, by)
	if err != nil {
		return s.failed(block, by, err), nil
	}
	called, err := agent.Call(ctx, bounded{m}, by, block)
	if err != nil && !errors.Is(err, context.Canceled) {
		return s.failed(block, by, err), nil
	}
	return result(called.Result), nil
}

// toolUseBlock is a call in the form of the Messages API.
type toolUseBlock struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

func result(r memfs.Result) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}, IsError: r.IsError}
}

// failed returns the answer to a call that failed in the store, and logs the cause.
func (s *Server) failed(block []byte, by versions.By, err error) *mcp.CallToolResult {
	c, _, refused := memfs.Decode(block)
	if refused != nil {
		return result(*refused)
	}
	why := s.plainly(err, by)
	return result(memfs.Refused(c, why))
}

// bounded is a memory whose views are never longer than clients accept.
type bounded struct{ agent.Memory }

// Tool cuts a view that is too long as the store's own limit would.
func (b bounded) Tool(ctx context.Context, by versions.By, c memfs.Command, o memfs.Options) (memfs.Result, versions.Change, error) {
	res, change, err := b.Memory.Tool(ctx, by, c, o)
	if err == nil && len(res.Text) > maxRead && change.Number == 0 {
		if _, view := c.(memfs.View); view {
			o.ViewChars = maxRead / 8   // characters have up to four bytes, and lines have numbers
			by.Actor = versions.Actor{} // the read is recorded already
			res, change, err = b.Memory.Tool(ctx, by, c, o)
		}
		if err == nil && len(res.Text) > maxRead {
			res = memfs.Refused(c, "the result is too long; ask for a part of it")
		}
	}
	return res, change, err
}

// maxRead is the maximum number of bytes of a memory in one answer. In JSON a byte may become
// six, and clients accept messages of 16 MiB.
const maxRead = 2 << 20

// plainly returns the reason why a store failed, for a model: without a path of this machine.
// The log gets the whole error.
func (s *Server) plainly(err error, by versions.By) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		s.o.Log.Warn("a call timed out waiting for the lock", "error", err, "session", by.Session, "call", by.ToolUse)
		return "another program has locked the memory store; nothing was written, try again later"
	}
	s.o.Log.Error("a call failed", "error", err, "session", by.Session, "call", by.ToolUse)
	for _, known := range failures {
		if errors.Is(err, known.err) {
			return known.text
		}
	}
	return "the memory store failed"
}

var failures = []struct {
	err  error
	text string
}{
	{versions.ErrNoStore, "the memory store was deleted: it can no longer be read or written"},
	{versions.ErrUnfinished, "the disk failed during the change: the change is recorded and will be finished when the memory store can be written again; do not repeat it"},
	{versions.ErrFolderGone, "the folder of the memory store is gone; it can be used again when the folder is back"},
	{versions.ErrHomeGone, "the data of the memory store was removed while it was in use; a person has to restart the server"},
	{versions.ErrArchived, "the memory store is archived: memories can be read and deleted, but not written"},
	{versions.ErrAttached, "this session works on other memory stores"},
	{versions.ErrDamaged, "the history of the memory store is damaged; a person has to check it"},
	{memfs.ErrNoSpace, "no space left on the disk"},
	{memfs.ErrReadOnlyDisk, "the memory store can only be read: the disk is read-only"},
	{memfs.ErrNoPermission, "the memory store can't be written: permission denied"},
}
