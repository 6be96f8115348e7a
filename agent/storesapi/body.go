package storesapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
)

// A body of maxBody bytes is read for every store: it exceeds the largest content of a memory by default
// with each byte escaped. A store whose memories may be larger takes more. What is too long is read to
// its end, up to maxDrained, so that the client gets a response rather than a broken connection.
const (
	maxBody    = 1 << 20
	escapedLen = int64(len(`\u0041`)) // the largest number of bytes for one byte of content
	restOfBody = 64 << 10             // of a body that has such a content
	maxDrained = 64 << 20
)

// maxBody returns the length of the longest body that the store of the call takes.
func (c *call) maxBody() int64 {
	if c.PathValue("store") == "" || 0 <= c.ContentLength && c.ContentLength <= maxBody {
		return maxBody
	}
	info, err := history.Store(c.Context(), c.s.o.Trail, c.storeID())
	if err != nil {
		return maxBody // the call itself reports the error
	}
	largest := info.Limits.Effective().Bytes
	if largest == versions.NoLimit {
		largest = versions.DefaultMaxBytes
	}
	return max(maxBody, escapedLen*min(largest, versions.DefaultMaxBytes)+restOfBody)
}

// fields holds the object of a body by exact key. Unknown keys are ignored.
type fields map[string]json.RawMessage

// body decodes a request's object.
func (c *call) body() (fields, error) {
	raw, err := c.read()
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(raw) {
		return nil, invalid("the body is not valid UTF-8")
	}
	var in fields
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(&in); err != nil {
		return nil, invalid("the body is not a JSON object: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) || in == nil {
		return nil, invalid("the body is not one JSON object")
	}
	return in, nil
}

// noBody reads the body of a call that needs none.
func (c *call) noBody() error {
	_, err := c.read()
	return err
}

func (c *call) read() ([]byte, error) {
	longest := c.maxBody()
	tooLarge := &failure{status: http.StatusRequestEntityTooLarge, kind: requestTooLarge,
		message: "the body is larger than " + strconv.FormatInt(longest, 10) + " bytes"}
	if c.ContentLength > longest && c.Header.Get("Expect") != "" { // the client waits for permission to send it
		return nil, tooLarge
	}
	raw, err := io.ReadAll(io.LimitReader(c.Body, longest+1))
	if err != nil {
		return nil, invalid("the body could not be read: %v", err)
	}
	if int64(len(raw)) > longest {
		_, _ = io.Copy(io.Discard, io.LimitReader(c.Body, maxDrained))
		return nil, tooLarge
	}
	return raw, nil
}

// has reports whether a field exists and is not null.
func (in fields) has(name string) bool {
	raw, ok := in[name]
	return ok && string(raw) != "null"
}

// text returns the field name as a string; nil if it is absent or null.
func (in fields) text(name string) (*string, error) {
	if !in.has(name) {
		return nil, nil
	}
	s, err := text(in[name])
	if err != nil {
		return nil, invalid("%s: %v", name, err)
	}
	return &s, nil
}

// required returns the field name as a string that must exist.
func (in fields) required(name string) (string, error) {
	s, err := in.text(name)
	if err == nil && s == nil {
		err = invalid("%s: is required", name)
	}
	if err != nil {
		return "", err
	}
	return *s, nil
}

// metadata returns a patch of pairs, in which nil removes one. A new store may have no nil.
func (in fields) metadata() (map[string]*string, error) {
	if !in.has("metadata") {
		return nil, nil
	}
	var pairs fields
	if err := json.Unmarshal(in["metadata"], &pairs); err != nil {
		return nil, invalid("metadata: must be an object of strings")
	}
	out := map[string]*string{}
	for key := range pairs {
		if strings.ContainsRune(key, utf8.RuneError) && halfSurrogate(in["metadata"]) {
			return nil, invalid("metadata: a key holds half of a surrogate pair, which is no text")
		}
		value, err := pairs.text(key)
		if err != nil {
			return nil, invalid("metadata: %v", err)
		}
		out[key] = value
	}
	return out, nil
}

// text decodes a JSON string. It refuses half of a surrogate pair, which package json would replace, so
// that the stored text would differ from the sent one.
func text(raw json.RawMessage) (string, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", errors.New("must be a string")
	}
	if strings.ContainsRune(s, utf8.RuneError) && halfSurrogate(raw) {
		return "", errors.New("holds half of a surrogate pair, which is no text")
	}
	return s, nil
}

// halfSurrogate reports whether raw has an escaped surrogate without its other half.
func halfSurrogate(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		switch unit := escapedUnit(raw[i+1:]); {
		case unit >= 0xdc00 && unit <= 0xdfff:
			return true
		case unit >= 0xd800 && unit <= 0xdbff:
			rest := raw[i+5:]
			if !bytes.HasPrefix(rest, []byte(`\u`)) {
				return true
			}
			if low := escapedUnit(rest[2:]); low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 6
		}
		i += 4
	}
	return false
}

// escapedUnit parses the four digits of an escape.
func escapedUnit(raw []byte) int64 {
	if len(raw) < 4 {
		return -1
	}
	n, err := strconv.ParseInt(string(raw[:4]), 16, 32)
	if err != nil {
		return -1
	}
	return n
}
