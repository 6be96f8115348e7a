package messages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/memend/memend/agent"
)

// building is a block that is on its way.
type building struct {
	index          int
	kind, id, name string

	raw       json.RawMessage            // as it began
	since     map[string]json.RawMessage // fields that came since
	text      []byte                     // of a text or a thinking, with what it began with
	input     []byte
	half      []byte // of a character, that the next delta brings the rest of; as JSON has it
	citations [][]byte
}

// firstHalf is the escape of a character's first half, at the end of a text in JSON.
var firstHalf = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})$`)

// join is a delta's text. JSON writes a character beyond the first plane as two escapes,
// and a stream may be split between them: the first waits for the second.
func (b *building) join(raw json.RawMessage) (string, error) {
	if raw == nil {
		return "", nil
	}
	if raw[0] != '"' { // null, or no text at all
		var text string
		return text, json.Unmarshal(raw, &text)
	}
	inner := slices.Concat(b.half, raw[1:len(raw)-1])
	b.half = nil
	if m := firstHalf.FindSubmatchIndex(inner); m != nil {
		b.half, inner = slices.Clone(inner[m[2]:]), inner[:m[2]]
	}
	var text string
	err := json.Unmarshal(slices.Concat([]byte{'"'}, inner, []byte{'"'}), &text)
	return text, err
}

func newBuilding(index int, raw json.RawMessage) (*building, error) {
	var f struct {
		Type     string `json:"type"`
		ID       string `json:"id"`
		Name     string `json:"name"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("block %d: %w", index, err)
	}
	return &building{index: index, kind: f.Type, id: f.ID, name: f.Name, raw: raw, text: []byte(f.Text + f.Thinking)}, nil
}

func (b *building) set(key string, value json.RawMessage) {
	if value == nil {
		return
	}
	if b.since == nil {
		b.since = map[string]json.RawMessage{}
	}
	b.since[key] = value
}

// setAll sets all that a delta brings, whatever the API may add to it: a summary
// comes in one piece and goes back as it came.
func (b *building) setAll(event []byte) error {
	var e struct {
		Delta map[string]json.RawMessage `json:"delta"`
	}
	if err := json.Unmarshal(event, &e); err != nil {
		return err
	}
	for key, value := range e.Delta {
		if key != "type" {
			b.set(key, value)
		}
	}
	return nil
}

// closed ends the block. Half of a character that never got its rest is no character.
func (b *building) closed() {
	switch {
	case len(b.half) == 0:
	case b.kind == agent.TypeText || b.kind == agent.TypeThinking:
		b.text = append(b.text, "\ufffd"...)
	default:
		b.input = append(b.input, "\ufffd"...)
	}
	b.half = nil
}

// block is the block as it is now: as it began, if nothing came since.
func (b *building) block() (agent.Block, error) {
	switch b.kind {
	case agent.TypeText:
		b.set("text", quote(b.text))
	case agent.TypeThinking:
		b.set("thinking", quote(b.text))
	}
	if len(b.input) > 0 {
		b.set("input", inputOf(b.input))
	}
	if len(b.citations) > 0 {
		b.set("citations", array(b.citations))
	}
	if b.since == nil {
		return agent.ParseBlock(b.raw)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b.raw, &fields); err != nil {
		return agent.Block{}, fmt.Errorf("block %d: %w", b.index, err)
	}
	maps.Copy(fields, b.since)
	return agent.ParseBlock(object(fields))
}

// inputOf is the input of a call that came in pieces. When the reply ran into
// max_tokens the input may end anywhere: it goes back in the way that the API
// recommends for an input that isn't JSON.
func inputOf(pieces []byte) json.RawMessage {
	if json.Valid(pieces) {
		return pieces
	}
	return object(map[string]json.RawMessage{"INVALID_JSON": quote(pieces)})
}

// object writes fields without touching a byte of their values, as encoding/json would.
func object(fields map[string]json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	for i, key := range slices.Sorted(maps.Keys(fields)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote([]byte(key))...), ':'), fields[key]...)
	}
	return append(out, '}')
}

// quote is a text as JSON, without the escapes for HTML, which only make it longer.
func quote(text []byte) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(string(text)) // of a string, into memory
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// array is values in a row, each as it came.
func array(values [][]byte) json.RawMessage {
	return append(append([]byte{'['}, bytes.Join(values, []byte{','})...), ']')
}
