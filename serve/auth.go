package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// bearer checks the token that callers send.
type bearer struct {
	sum [sha256.Size]byte // of the token; sums have the same length, whatever is sent
}

// openToken makes the check of a token or of one in a file, which a field names;
// nil if there is neither.
func openToken(token, file, field string) (*bearer, error) {
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("serve: %s: %w", field, err)
		}
		token = strings.TrimSpace(string(b))
		if err := checkToken(token); err != nil {
			return nil, fmt.Errorf("serve: %s: %s: %w", field, file, err)
		}
	}
	if token == "" {
		return nil, nil
	}
	return &bearer{sum: sha256.Sum256([]byte(token))}, nil
}

// checkToken refuses what cannot be sent in a header.
func checkToken(token string) error {
	if token == "" {
		return errors.New("the token is empty")
	}
	for _, c := range []byte(token) {
		if c <= ' ' || c > '~' {
			return errors.New("the token has characters besides printable ASCII without spaces")
		}
	}
	return nil
}

// check looks for the token in the values of the authorization header.
func (b *bearer) check(values []string) error {
	for _, v := range values {
		scheme, token, _ := strings.Cut(v, " ")
		if !strings.EqualFold(scheme, "bearer") {
			continue
		}
		sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
		if subtle.ConstantTimeCompare(sum[:], b.sum[:]) == 1 {
			return nil
		}
		return status.Error(codes.Unauthenticated, "the bearer token is wrong")
	}
	return status.Error(codes.Unauthenticated, `a token is needed: send the header "authorization: Bearer <token>"`)
}

// call checks a call. Health checks are free.
func (b *bearer) call(ctx context.Context, method string) error {
	if strings.HasPrefix(method, healthPrefix) {
		return nil
	}
	return b.check(metadata.ValueFromIncomingContext(ctx, "authorization"))
}

func (b *bearer) unary(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (any, error) {
	if err := b.call(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return handle(ctx, req)
}

func (b *bearer) stream(srv any, s grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	if err := b.call(s.Context(), info.FullMethod); err != nil {
		return err
	}
	return handle(srv, s)
}
