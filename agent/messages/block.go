package messages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/memend/memend/agent"
)

// partialBlock is an unfinished block.
type partialBlock struct {
	index          int
	kind, id, name string

	raw       json.RawMessage            // as in content_block_start
	since     map[string]json.RawMessage // fields set by deltas
	text      []byte                     // of a text or thinking block, from its start on
	input     []byte
	half      []byte // the escape of a character's first half, whose second half is in the next delta
	citations [][]byte
}

// firstHalf matches the escape of a high surrogate at the end of a text in JSON.
var firstHalf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})$`)
})

// join decodes a delta's text. JSON writes a character beyond the first plane as two escapes, and a stream may be
// split between them: then the first is kept for the next delta.
func (b *partialBlock) join(raw json.RawMessage) (string, error) {
	if raw == nil {
		return "", nil
	}
	if raw[0] != '"' { // null, or not a string
		var text string
		return text, json.Unmarshal(raw, &text)
	}
	inner := slices.Concat(b.half, raw[1:len(raw)-1])
	b.half = nil
	if m := firstHalf().FindSubmatchIndex(inner); m != nil {
		b.half, inner = slices.Clone(inner[m[2]:]), inner[:m[2]]
	}
	var text string
	err := json.Unmarshal(slices.Concat([]byte{'"'}, inner, []byte{'"'}), &text)
	return text, err
}

func newBuilding(index int, raw json.RawMessage) (*partialBlock, error) {
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
	return &partialBlock{index: index, kind: f.Type, id: f.ID, name: f.Name, raw: raw, text: []byte(f.Text + f.Thinking)}, nil
}

func (b *partialBlock) set(key string, value json.RawMessage) {
	if value == nil {
		return
	}
	if b.since == nil {
		b.since = map[string]json.RawMessage{}
	}
	b.since[key] = value
}

// setAll sets all fields of a delta, including unknown ones: a summary arrives in one piece and is sent back as it
// came.
func (b *partialBlock) setAll(event []byte) error {
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

// closed ends the block. Half of a character without its other half is dropped.
func (b *partialBlock) closed() {
	switch {
	case len(b.half) == 0:
	case b.kind == agent.TypeText || b.kind == agent.TypeThinking:
		b.text = append(b.text, "\ufffd"...)
	default:
		b.input = append(b.input, "\ufffd"...)
	}
	b.half = nil
}

// block returns the current block: as it began, if no delta arrived.
func (b *partialBlock) block() (agent.Block, error) {
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

// inputOf returns the input of a call that arrived in fragments. If the reply reached max_tokens, the input may be
// truncated: it is then sent back in the way that the API recommends for invalid JSON.
func inputOf(pieces []byte) json.RawMessage {
	if json.Valid(pieces) {
		return pieces
	}
	return object(map[string]json.RawMessage{"INVALID_JSON": quote(pieces)})
}

// object writes fields without changing a byte of their values, unlike encoding/json.
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

// quote returns a text as JSON, without the escapes for HTML, which only make it longer.
func quote(text []byte) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(string(text)) // never fails: a string, into memory
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// array writes an array of values, each unchanged.
func array(values [][]byte) json.RawMessage {
	return append(append([]byte{'['}, bytes.Join(values, []byte{','})...), ']')
}
