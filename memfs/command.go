package memfs

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Command is one of the six commands of the memory tool, decoded and complete: View, Create,
// StrReplace, Insert, Delete or Rename. Paths are kept as the model wrote them, because
// answers repeat them unchanged.
type Command interface {
	// Name returns the command's name in the protocol.
	Name() string
	// path returns the path that the command names, as the model wrote it.
	path() string
}

// View shows a file with line numbers, or lists a folder two levels deep.
type View struct {
	Path  string
	Range *[2]int64 // first and last line; nil for all. A last line of -1 is the end
}

// Create creates a new file.
type Create struct{ Path, FileText string }

// StrReplace replaces the only occurrence of OldStr.
type StrReplace struct{ Path, OldStr, NewStr string }

// Insert inserts text after line InsertLine; 0 is the top.
type Insert struct {
	Path       string
	InsertLine int64
	InsertText string
}

// Delete removes a file, a link itself, or a folder with all it holds.
type Delete struct{ Path string }

// Rename moves a file, a link itself, or a folder.
type Rename struct{ OldPath, NewPath string }

func (View) Name() string       { return "view" }
func (Create) Name() string     { return "create" }
func (StrReplace) Name() string { return "str_replace" }
func (Insert) Name() string     { return "insert" }
func (Delete) Name() string     { return "delete" }
func (Rename) Name() string     { return "rename" }

func (c View) path() string       { return c.Path }
func (c Create) path() string     { return c.Path }
func (c StrReplace) path() string { return c.Path }
func (c Insert) path() string     { return c.Path }
func (c Delete) path() string     { return c.Path }
func (c Rename) path() string     { return c.OldPath }

// Decode decodes the tool's input, {"command":"view","path":"/memories"}, or a whole
// tool_use block around it. It checks every field before anything runs, and ignores unknown
// fields. If the input is invalid, refused is the answer for the model. id is the block's
// id, if it has one, even when the rest is invalid.
func Decode(raw []byte) (c Command, id string, refused *Result) {
	var in fields
	if err := json.Unmarshal(raw, &in); err != nil || in == nil {
		return nil, "", refuse("Error: the input is not a JSON object")
	}
	if kind, ok := in.text("type"); ok && kind == "tool_use" {
		id, _ = in.text("id")
		if name, ok := in.text("name"); ok && name != "memory" {
			return nil, id, refuse("Error: unknown tool " + name)
		}
		block := in["input"]
		in = nil
		if err := json.Unmarshal(block, &in); err != nil || in == nil {
			return nil, id, refuse("Error: the input is not a JSON object")
		}
	}
	c, refused = in.command()
	return c, id, refused
}

// fields holds a JSON object by exact key; decoding into a struct would accept "Path" for
// "path".
type fields map[string]json.RawMessage

func (in fields) command() (Command, *Result) {
	name, ok := in.text("command")
	if !ok {
		return nil, invalid("command")
	}
	r := reader{in: in}
	var c Command
	switch name {
	case "view":
		c = View{Path: r.text("path"), Range: r.viewRange()}
	case "create":
		c = Create{r.text("path"), r.text("file_text")}
	case "str_replace":
		c = StrReplace{r.text("path"), r.text("old_str"), r.optionalText("new_str")}
	case "insert":
		c = Insert{r.text("path"), r.integer("insert_line"), r.text("insert_text")}
	case "delete":
		c = Delete{r.text("path")}
	case "rename":
		c = Rename{r.text("old_path"), r.text("new_path")}
	default:
		return nil, refuse("Error: unknown command " + name)
	}
	if r.refused != nil {
		return nil, r.refused
	}
	return c, nil
}

// text returns a field that exists and is a string. A lone surrogate in it becomes U+FFFD,
// as in package json.
func (in fields) text(name string) (string, bool) {
	var s *string
	if err := json.Unmarshal(in[name], &s); err != nil || s == nil {
		return "", false
	}
	return *s, true
}

func (in fields) absent(name string) bool {
	raw, ok := in[name]
	return !ok || bytes.Equal(raw, []byte("null"))
}

// reader reads fields one by one and remembers the first that is invalid.
type reader struct {
	in      fields
	refused *Result
}

func (r *reader) wrong(name string) {
	if r.refused == nil {
		r.refused = invalid(name)
	}
}

func (r *reader) text(name string) string {
	s, ok := r.in.text(name)
	if !ok {
		r.wrong(name)
	}
	return s
}

// optionalText returns an empty string for a field that is missing or null.
func (r *reader) optionalText(name string) string {
	if r.in.absent(name) {
		return ""
	}
	return r.text(name)
}

func (r *reader) integer(name string) int64 {
	n, ok := integer(r.in[name])
	if !ok {
		r.wrong(name)
	}
	return n
}

// viewRange uses the field only when it has two elements; any other length means the whole
// file, as in the SDKs' tools.
func (r *reader) viewRange() *[2]int64 {
	if r.in.absent("view_range") {
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(r.in["view_range"], &items); err != nil {
		r.wrong("view_range")
		return nil
	}
	if len(items) != 2 {
		return nil
	}
	var ends [2]int64
	for i, item := range items {
		n, ok := integer(item)
		if !ok {
			r.refused = refuse("Error: Invalid `view_range`: it should be two integers")
			return nil
		}
		ends[i] = n
	}
	return &ends
}

// integer accepts no string, fraction or exponent.
func integer(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}
