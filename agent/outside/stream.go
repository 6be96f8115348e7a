package outside

import "time"

// streamEvent is a stream event of the API.
type streamEvent struct {
	Type  lenientString `json:"type"`
	Index int           `json:"index"`
	Block *struct {
		Type lenientString `json:"type"`
		ID   lenientString `json:"id"`
		Name lenientString `json:"name"`
	} `json:"content_block"`
	Delta *struct {
		Type lenientString `json:"type"`
		JSON string        `json:"partial_json"`
	} `json:"delta"`
}

// partial is a tool_use whose input is incomplete.
type partial struct {
	id, name lenientString
	input    []byte
}

// Limits of streamed messages: the length of a call's input, and the number of blocks. Larger ones are
// dropped.
const (
	maxInput = 16 << 20
	maxParts = 256
)

// stream handles a stream event of the API; it returns false for any other object.
func (r *Reader) stream(l *lineHeader, e *streamEvent, at time.Time) bool {
	switch e.Type {
	case "message_start", "message_stop":
		r.part = nil
	case "content_block_start":
		if e.Block != nil && e.Block.Type == "tool_use" && len(r.part) < maxParts {
			if r.part == nil {
				r.part = map[int]*partial{}
			}
			r.part[e.Index] = &partial{id: e.Block.ID, name: e.Block.Name}
		}
	case "content_block_delta":
		if p := r.part[e.Index]; p != nil && e.Delta != nil && e.Delta.Type == "input_json_delta" {
			if len(p.input)+len(e.Delta.JSON) > maxInput {
				delete(r.part, e.Index)
				break
			}
			p.input = append(p.input, e.Delta.JSON...)
		}
	case "content_block_stop":
		if p := r.part[e.Index]; p != nil {
			delete(r.part, e.Index)
			if len(p.input) == 0 {
				p.input = []byte("{}")
			}
			r.begin(l, block{ID: p.id, Name: p.name, Input: p.input}, at)
		}
	case "message_delta", "ping", "error":
	default:
		return false
	}
	return true
}
