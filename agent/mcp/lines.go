package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/memend/memend/agent"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lineTransport is the transport over standard input and output, one message a line. It answers
// an invalid or too long line with an error and reads on: the SDK's own transport ends the
// connection there.
type lineTransport struct {
	in  io.ReadCloser
	out io.WriteCloser
}

// Connect starts reading.
func (t lineTransport) Connect(context.Context) (mcp.Connection, error) {
	return &lineConn{lineTransport: t, r: bufio.NewReaderSize(t.in, 64<<10)}, nil
}

// lineConn is the connection of a lineTransport. Read is called by one goroutine.
type lineConn struct {
	lineTransport
	r *bufio.Reader

	mu sync.Mutex // held while writing a line
}

func (c *lineConn) SessionID() string { return "" }

func (c *lineConn) Close() error { return errors.Join(c.in.Close(), c.out.Close()) }

// Read returns the next message. It waits as long as the input does.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		line, whole, err := agent.ReadLine(c.r, maxMessage)
		if !whole {
			if werr := c.refuse(ctx, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message may have at most %d bytes", maxMessage)); werr != nil {
				return nil, werr
			}
		} else if len(line) > 0 {
			msg, refusal := decode(line)
			if refusal == nil {
				return msg, nil
			}
			if werr := c.Write(ctx, &jsonrpc.Response{Error: refusal}); werr != nil {
				return nil, werr
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// decode parses a message, or returns the error to send to the client.
func decode(line []byte) (jsonrpc.Message, *jsonrpc.Error) {
	if !json.Valid(line) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: the line is not JSON"}
	}
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid Request: the line is not one JSON-RPC 2.0 message"}
	}
	return msg, nil
}

func (c *lineConn) refuse(ctx context.Context, code int64, why string) error {
	return c.Write(ctx, &jsonrpc.Response{Error: &jsonrpc.Error{Code: code, Message: "Invalid Request: " + why}})
}

// Write writes a message.
func (c *lineConn) Write(_ context.Context, msg jsonrpc.Message) error {
	b, err := encode(msg)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.out.Write(append(b, '\n'))
	return err
}

// encode returns a message as JSON. An error about a line without an id gets the id null, which
// the SDK would leave out.
func encode(msg jsonrpc.Message) ([]byte, error) {
	res, ok := msg.(*jsonrpc.Response)
	if !ok || res.ID.IsValid() || res.Error == nil {
		return jsonrpc.EncodeMessage(msg)
	}
	return json.Marshal(struct {
		Version string  `json:"jsonrpc"`
		ID      *string `json:"id"`
		Error   error   `json:"error"`
	}{"2.0", nil, res.Error})
}
