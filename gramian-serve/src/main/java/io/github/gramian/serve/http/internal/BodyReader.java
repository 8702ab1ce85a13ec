package io.github.gramian.serve.http.internal;

import io.github.gramian.serve.protocol.internal.RequestException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/**
 * Reads the body of a request without holding a thread: up to a limit, for a limited time, and within the memory for all
 * bodies. Its memory grows with the bytes that have arrived, not with the length that a header announces.
 */
final class BodyReader implements Runnable {

    private static final int FIRST = 16 << 10;

    /** At most this multiple of the limit is read of a body that is refused. */
    private static final long DISCARDED = 4;

    private final Request request;
    private final HttpLimits limits;
    private final ByteBudget budget;
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private byte[] bytes = new byte[0];
    private int count;
    private long taken;
    private volatile boolean demanding;

    BodyReader(Request request, HttpLimits limits, ByteBudget budget) {
        this.request = request;
        this.limits = limits;
        this.budget = budget;
    }

    /** Starts reading. The receiver of the body releases its memory with {@link #release}, however it ends. */
    CompletableFuture<byte[]> read() {
        if (request.getLength() > limits.sizes().bodyBytes()) {
            throw tooLarge();
        }
        CompletableFuture<byte[]> inTime =
                body.orTimeout(limits.times().receive().toMillis(), TimeUnit.MILLISECONDS);
        run();
        return inTime;
    }

    private RequestException tooLarge() {
        return new RequestException(
                413, "the body may have at most " + limits.sizes().bodyBytes() + " bytes; send a smaller image");
    }

    @Override
    public void run() {
        demanding = false;
        try {
            while (!body.isDone()) {
                Content.Chunk chunk = request.read();
                if (chunk == null) {
                    demanding = true;
                    request.demand(this);
                    return;
                }
                if (Content.Chunk.isFailure(chunk)) {
                    body.completeExceptionally(chunk.getFailure());
                    return;
                }
                boolean last = chunk.isLast();
                try {
                    add(chunk);
                } finally {
                    chunk.release();
                }
                if (last) {
                    body.complete(count == bytes.length ? bytes : Arrays.copyOf(bytes, count));
                }
            }
        } catch (RuntimeException | Error failure) {
            body.completeExceptionally(failure);
        }
    }

    private synchronized void add(Content.Chunk chunk) {
        int more = chunk.remaining();
        if (more > limits.sizes().bodyBytes() - count) {
            throw tooLarge();
        }
        if (count + more > bytes.length) {
            long announced = request.getLength() < 0 ? limits.sizes().bodyBytes() : request.getLength();
            int size = (int) Math.max(count + more, Math.min(announced, Math.max(FIRST, 2L * bytes.length)));
            if (taken >= 0) {
                budget.take(size - bytes.length);
                taken += size - bytes.length;
            }
            bytes = Arrays.copyOf(bytes, size);
        }
        chunk.get(bytes, count, more);
        count += more;
    }

    /** Whether the request has nothing left to send. */
    boolean isComplete() {
        return request.getLength() == 0 || (body.isDone() && !body.isCompletedExceptionally());
    }

    /**
     * Reads what is left and throws it away, a few times what is allowed at most: a connection that is closed while its client
     * still sends takes the answer with it.
     */
    CompletableFuture<Void> discard() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (demanding
                || isComplete()
                || request.getLength() > DISCARDED * limits.sizes().bodyBytes()) {
            done.complete(null);
            return done;
        }
        done.completeOnTimeout(null, limits.times().receive().toMillis(), TimeUnit.MILLISECONDS);
        discard(done, DISCARDED * limits.sizes().bodyBytes());
        return done;
    }

    private void discard(CompletableFuture<Void> done, long most) {
        long left = most;
        while (!done.isDone()) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                long rest = left;
                request.demand(() -> discard(done, rest));
                return;
            }
            left -= chunk.remaining();
            boolean end = chunk.isLast() || left < 0 || Content.Chunk.isFailure(chunk);
            chunk.release();
            if (end) {
                done.complete(null);
            }
        }
    }

    /** The body is not needed any more. */
    synchronized void release() {
        if (taken > 0) {
            budget.give(taken);
        }
        taken = -1;
    }
}
