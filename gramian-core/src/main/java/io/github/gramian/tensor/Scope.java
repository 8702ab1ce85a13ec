package io.github.gramian.tensor;

import io.github.gramian.natives.internal.Natives;
import java.util.Iterator;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A block of work that frees every tensor made inside it when it closes.
 *
 * <p>Entry points (a training step, a prediction) open a scope; layers never do. A tensor leaves its scope in one of two
 * ways: {@link #promote} hands it to the enclosing scope, {@link #own} makes it the caller's, which must call {@link
 * #disown} when done. Scopes belong to the thread that opened them and nest like blocks.
 *
 * <pre>{@code
 * try (Scope step = Scope.open()) {
 *     Pass pass = head.forward(features, Phase.training(seed));
 *     ...
 * } // the step's intermediate tensors are gone, its parameters are not
 * }</pre>
 */
public final class Scope implements AutoCloseable {

    static {
        Natives.ENGINE.unpack();
    }

    private final PointerScope pointers = new PointerScope();

    private Scope() {}

    /** Opens a scope on this thread. */
    public static Scope open() {
        return new Scope();
    }

    /**
     * Lets a tensor outlive this scope: the handle returned belongs to the enclosing scope, or to the garbage collector
     * when there is none. The storage is shared, not copied.
     */
    public Tensor promote(Tensor tensor) {
        Tensor handle = new Tensor(tensor);
        PointerScope enclosing = enclosingScope();
        if (enclosing == null) {
            // Keeps the count above zero when this scope lets go; the collector frees it in the end.
            handle.retainReference();
        } else {
            enclosing.attach(handle);
        }
        return handle;
    }

    /**
     * Another handle of the same tensor in the current scope; the storage is shared, not copied. For callers that need a tensor
     * longer than its present owner does. Closing a handle frees the storage only when it was the last one.
     */
    public static Tensor share(Tensor tensor) {
        return new Tensor(tensor);
    }

    /**
     * A handle that no scope frees; its owner calls {@link #disown} when done. The storage is shared, not copied. Also the
     * remedy for tensors that point into a tuple or into another handle, which must not outlive it.
     */
    public static Tensor own(Tensor tensor) {
        Tensor handle = new Tensor(tensor);
        handle.retainReference();
        return handle;
    }

    /** Gives up a handle obtained from {@link #own}; it must not be used afterwards. */
    public static void disown(Tensor owned) {
        owned.releaseReference();
    }

    /**
     * Ends this scope without freeing: the tensors remain valid until the scope is closed once more, which any thread may do. For
     * work that one thread begins and another one ends; see {@link #adopt}.
     */
    public void lend() {
        pointers.extend();
        pointers.close();
    }

    /** Closes a lent scope together with the innermost scope of this thread; without one, the garbage collector frees. */
    public static void adopt(Scope lent) {
        PointerScope current = PointerScope.getInnerScope();
        if (current != null) {
            current.attach(new Adopted(lent));
        }
    }

    @Override
    public void close() {
        pointers.close();
    }

    /** Stands among a scope's tensors for a whole scope. */
    private static final class Adopted extends Pointer {

        private final Scope scope;

        Adopted(Scope scope) {
            this.scope = scope;
        }

        @Override
        public boolean releaseReference() {
            scope.close();
            return true;
        }
    }

    private @Nullable PointerScope enclosingScope() {
        Iterator<PointerScope> innermostFirst = PointerScope.getScopeIterator();
        boolean inside = false;
        while (innermostFirst != null && innermostFirst.hasNext()) {
            PointerScope scope = innermostFirst.next();
            if (inside) {
                return scope;
            }
            inside = scope == pointers;
        }
        return null;
    }
}
