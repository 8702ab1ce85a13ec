package io.github.gramian.serve.http.internal;

import io.github.gramian.serve.protocol.internal.RequestException;
import java.util.concurrent.atomic.AtomicLong;

/** Memory for the bodies of all requests together: whatever many clients send at once, no more is taken. */
final class ByteBudget {

    private final long most;
    private final AtomicLong taken = new AtomicLong();

    ByteBudget(long most) {
        this.most = most;
    }

    /** Takes some bytes, or refuses the request. */
    void take(long bytes) {
        if (taken.addAndGet(bytes) > most) {
            taken.addAndGet(-bytes);
            throw new RequestException(
                    503, "other requests fill the memory for uploads (" + most + " bytes); try again later");
        }
    }

    void give(long bytes) {
        taken.addAndGet(-bytes);
    }

    long taken() {
        return taken.get();
    }
}
