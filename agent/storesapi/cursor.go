package storesapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// pagePrefix is the beginning of every cursor.
const pagePrefix = "page_"

// place is the content of a cursor: where to continue, and in which list.
type place[P any] struct {
	List string `json:"l"` // a hash of the list's parameters
	At   P      `json:"a"`
}

// listOf returns a hash of everything that selects a list's rows.
func listOf(of ...any) string {
	sum := sha256.Sum256(fmt.Append(nil, fmt.Sprintf("%q", of)))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// page decodes the cursor of a request, if it has one.
func page[P any](q *query, list string) (at P) {
	s, ok := q.one("page")
	if !ok || s == "" {
		return at
	}
	var p place[P]
	rest, ok := strings.CutPrefix(s, pagePrefix)
	raw, err := base64.RawURLEncoding.DecodeString(rest)
	if err == nil && ok {
		err = json.Unmarshal(raw, &p)
	}
	switch {
	case err != nil || !ok:
		q.wrong("page: is no next_page of this server")
	case p.List != list:
		q.wrong("page: belongs to a list with other filters")
	}
	return p.At
}

// nextPage encodes a cursor.
func nextPage[P any](list string, at P) *string {
	raw, err := json.Marshal(place[P]{list, at})
	if err != nil {
		panic(err) // only for types that JSON can't represent
	}
	s := pagePrefix + base64.RawURLEncoding.EncodeToString(raw)
	return &s
}

// listJSON is a page. The SDKs continue until next_page is null.
type listJSON struct {
	Data []any   `json:"data"`
	Next *string `json:"next_page"`
}

func newList() *listJSON { return &listJSON{Data: []any{}} }
