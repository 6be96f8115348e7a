package outside

import (
	"encoding/json"
	"strings"

	"github.com/memend/memend/versions"
)

// input holds the arguments of the known tools: those of Claude Code, and the API's memory and text
// editor tools.
type input struct {
	FilePath     string    `json:"file_path"`
	NotebookPath string    `json:"notebook_path"`
	Content      *string   `json:"content"`
	OldString    string    `json:"old_string"`
	NewString    string    `json:"new_string"`
	ReplaceAll   bool      `json:"replace_all"`
	Edits        []oneEdit `json:"edits"`
	Command      string    `json:"command"` // of the memory tool; of Bash the command line
	Path         string    `json:"path"`
	OldPath      string    `json:"old_path"`
	NewPath      string    `json:"new_path"`
	FileText     *string   `json:"file_text"`
}

type oneEdit struct {
	OldString  string `json:"old_string"`
	NewString  string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all"`
}

// output holds Claude Code's details about a call: on the line of its result in a transcript, and in
// the input of its hooks.
type output struct {
	Type         string    `json:"type"` // of Write: create or update
	FilePath     string    `json:"filePath"`
	Content      *string   `json:"content"`
	Patch        []hunk    `json:"structuredPatch"`
	OldString    *string   `json:"oldString"`
	NewString    *string   `json:"newString"`
	ReplaceAll   bool      `json:"replaceAll"`
	Original     *string   `json:"originalFile"`
	OriginalOld  *string   `json:"originalFileContents"` // of MultiEdit
	Edits        []oneEdit `json:"edits"`
	UpdatedFile  *string   `json:"updated_file"` // of NotebookEdit, as are those below
	NotebookPath string    `json:"notebook_path"`
	Error        string    `json:"error"`
	Staged       bool      `json:"staged"` // nothing was written: a review comes first
}

// callOf returns the call of a tool as far as its input tells; false for a tool that affects no single
// file, or whose effect is unknown.
func callOf(tool string, raw json.RawMessage) (b *openCall, ok bool) {
	b = &openCall{Call: Call{Tool: tool, Takes: takes(tool)}}
	in := &b.input
	if json.Unmarshal(raw, in) != nil { // arguments of its own kinds
		*in = input{}
		return b, b.Takes != 0
	}
	switch {
	case tool == "Write", tool == "Edit", tool == "MultiEdit":
		b.Op, b.Path = versions.CallWrote, in.FilePath
	case tool == "NotebookEdit":
		b.Op, b.Path = versions.CallWrote, in.NotebookPath
	case tool == "Read":
		b.Op, b.Path = versions.CallRead, in.FilePath
	case tool == "Bash":
		b.Op, b.Shell = versions.CallRan, in.Command
		return b, in.Command != ""
	case isMemory(tool):
		b.Memory = true
		b.command()
	case tool == "str_replace_based_edit_tool", tool == "str_replace_editor":
		b.command()
	case tool == "Grep", tool == "Glob", tool == "LS":
		b.Looks = in.Path
	}
	if b.Op == "" || b.Path == "" {
		b.Op = ""
		return b, b.Takes != 0 || b.Looks != ""
	}
	return b, true
}

// takes returns what a tool's result brings into a session, apart from files.
func takes(tool string) versions.Inputs {
	switch {
	case tool == "WebFetch", tool == "WebSearch":
		return versions.InputWeb
	case tool == "Bash", tool == "BashOutput":
		return versions.InputShell
	case strings.HasPrefix(tool, ownServer):
		return 0
	case strings.HasPrefix(tool, "mcp__"):
		return versions.InputMCP
	}
	return 0
}

// ownServer is the prefix of the names of the tools of memend's own MCP server.
const ownServer = "mcp__memend__"

// isMemory reports whether a tool is the memory tool, alone or of an MCP server. Calls of memend's own
// server are journaled already.
func isMemory(tool string) bool {
	server, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return tool == "memory"
	}
	server, ok = strings.CutSuffix(server, "__memory")
	return ok && !strings.Contains(server, "memend")
}

// command sets the operation and paths from a command of the memory tool or the text editor tool.
func (b *openCall) command() {
	in := &b.input
	b.Command, b.Path = in.Command, in.Path
	switch in.Command {
	case "view":
		b.Op = versions.CallRead
	case "create", "str_replace", "insert":
		b.Op = versions.CallWrote
	case "delete":
		b.Op = versions.CallDeleted
	case "rename":
		b.Op, b.Path, b.From = versions.CallMoved, in.NewPath, in.OldPath
	}
}

// Proposal returns the text that a call which has only begun would write, given the file's present text with "\n"
// line ends, nil if there is no file. It returns nil if that is not known: Claude Code also finds texts to replace that
// are not there character by character. What Claude Code adds to front matter is missing.
func (c Call) Proposal(present *string) *string {
	if c.input == nil || c.Op != versions.CallWrote {
		return nil
	}
	in := c.input
	switch c.Tool {
	case "Write":
		return in.Content
	case "Edit":
		return edited(present, []oneEdit{{in.OldString, in.NewString, in.ReplaceAll}})
	case "MultiEdit":
		return edited(present, in.Edits)
	}
	if c.Command == "create" {
		return in.FileText
	}
	return nil
}

// end returns the call with its result, and with the contents of the file before and after it as far as
// they are known.
func (b *openCall) end(raw json.RawMessage, failed bool) (c Call, happened bool) {
	var out output
	parsed := json.Unmarshal(raw, &out) == nil
	if !parsed {
		out = output{} // a text, or an unknown type
	}
	c = b.Call
	c.input = &b.input
	c.Failed = failed || out.Error != ""
	if c.Op == versions.CallRan { // a failed shell command may have written before
		c.Failed, c.ShellFailed = false, c.Failed
	}
	if c.Op != versions.CallWrote || c.Failed {
		return c, true
	}
	if out.Original == nil {
		out.Original = out.OriginalOld
	}
	c.Before, c.Created = out.Original, out.Original == nil && out.Type == "create"
	c.After = b.after(&out)
	return c, !out.Staged
}

// after returns the text that a call wrote, or nil if it is unknown.
func (b *openCall) after(out *output) *string {
	in := &b.input
	switch b.Tool {
	case "Write":
		if out.Content != nil || in.Content == nil || !stamped(*in.Content) {
			return either(out.Content, in.Content)
		}
	case "NotebookEdit":
		return out.UpdatedFile
	case "Edit":
		e := oneEdit{in.OldString, in.NewString, in.ReplaceAll || out.ReplaceAll}
		if out.OldString != nil && out.NewString != nil {
			e.OldString, e.NewString = *out.OldString, *out.NewString
		}
		return written(out.Original, []oneEdit{e}, out.Patch)
	case "MultiEdit":
		if len(out.Edits) == 0 {
			out.Edits = in.Edits
		}
		return written(out.Original, out.Edits, out.Patch)
	}
	if b.Command == "create" {
		return in.FileText
	}
	return nil
}

func either(first, second *string) *string {
	if first == nil {
		return second
	}
	return first
}

// edited returns a text with edits applied, or nil if an edit finds nothing to replace: it was made to
// another text.
func edited(original *string, edits []oneEdit) *string {
	text, made := "", false
	if original != nil {
		text, made = *original, true
	}
	for i, e := range edits {
		switch {
		case e.OldString == "" && i == 0 && text == "": // creates the file
			text, made = e.NewString, true
		case !made, e.OldString == "", !strings.Contains(text, e.OldString):
			return nil
		case e.ReplaceAll:
			text = strings.ReplaceAll(text, e.OldString, e.NewString)
		default:
			text = strings.Replace(text, e.OldString, e.NewString, 1)
		}
	}
	if !made || len(edits) == 0 {
		return nil
	}
	return &text
}
