package io.github.gramian.model.internal;

import java.util.concurrent.atomic.AtomicInteger;
import org.bytedeco.javacpp.Pointer;

/** A loaded model that several predictors use; the last of them frees it. */
final class SharedInference {

    private final Inference inference;
    private final AtomicInteger users = new AtomicInteger(1);

    SharedInference(Inference inference) {
        this.inference = inference;
    }

    Inference inference() {
        return inference;
    }

    /** The same model for one more user, who must release it. */
    SharedInference retained() {
        users.updateAndGet(count -> {
            if (count == 0) {
                throw new IllegalStateException("the model is closed; load it again");
            }
            return count + 1;
        });
        return this;
    }

    /** Called once by each user. The last one also returns the freed memory to the system, since malloc would retain it. */
    void release() {
        if (users.decrementAndGet() == 0) {
            inference.close();
            Pointer.trimMemory();
        }
    }
}
