package io.github.gramian.serve.decoding.internal;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Chooses which image is decoded next. First comes the client that has received the least work, so that no client takes
 * all threads from the others. Of one client's images, those of cheap requests come first, since hostile and honest
 * requests may share an address, as with a proxy. Callers synchronise.
 */
final class DecodingQueue {

    /** Estimated work above which an image is slow: about 0.4 s on one core, as for a PNG of 11 megapixels. */
    static final long SLOW_PASSES = 1L << 27;

    /**
     * A request is placed as if it had arrived later by this time per pixel pass. It is about 13 times what a pass takes,
     * so an expensive request hardly delays cheap ones; but however many of these arrive, it advances.
     */
    private static final long HANDICAP_NANOS = 40;

    private final Map<String, Client> clients = new HashMap<>();
    private long received;

    /**
     * An image that waits to be decoded.
     *
     * @param client key or address of the client
     * @param passes estimated work of this image
     * @param rank lower ones come first
     */
    record Task(String client, long passes, long rank, Runnable work) {

        /** @param requestPasses estimated work of all images of the request */
        static Task of(String client, long passes, long requestPasses, Runnable work) {
            return new Task(client, passes, System.nanoTime() + HANDICAP_NANOS * requestPasses, work);
        }

        boolean isSlow() {
            return passes > SLOW_PASSES;
        }
    }

    /** Images of one client, and the work that it has received since it was last idle. */
    private static final class Client {

        // By difference: the time of System.nanoTime may overflow.
        private static final Comparator<Task> ORDER = (one, other) -> Long.signum(one.rank() - other.rank());

        final PriorityQueue<Task> quick = new PriorityQueue<>(ORDER);
        final PriorityQueue<Task> slow = new PriorityQueue<>(ORDER);
        long received;
        int running;

        Client(long received) {
            this.received = received;
        }

        PriorityQueue<Task> queueOf(Task task) {
            return task.isSlow() ? slow : quick;
        }

        /** Its first image; null if there is none that may start. */
        @Nullable
        Task first(boolean slowToo) {
            Task cheap = quick.peek();
            Task expensive = slowToo ? slow.peek() : null;
            if (cheap == null || expensive == null) {
                return cheap == null ? expensive : cheap;
            }
            return ORDER.compare(expensive, cheap) < 0 ? expensive : cheap;
        }

        boolean isIdle() {
            return running == 0 && quick.isEmpty() && slow.isEmpty();
        }
    }

    void add(List<Task> tasks) {
        for (Task task : tasks) {
            // A new client starts level with those that are served now: it neither waits for them nor overtakes for
            // long.
            Client client = clients.computeIfAbsent(task.client(), name -> new Client(received));
            client.queueOf(task).add(task);
        }
    }

    /** Removes images that have not been started. */
    void remove(List<Task> tasks) {
        for (Task task : tasks) {
            Client client = clients.get(task.client());
            if (client != null) {
                client.queueOf(task).remove(task);
                forgetIfIdle(task.client(), client);
            }
        }
    }

    /** Takes the next image; null if there is none that may start. The caller reports its end by {@link #finished}. */
    @Nullable
    Task next(boolean slowToo) {
        Client chosen = null;
        Task first = null;
        for (Client client : clients.values()) {
            Task candidate = client.first(slowToo);
            if (candidate != null && (chosen == null || client.received < chosen.received)) {
                chosen = client;
                first = candidate;
            }
        }
        if (chosen != null && first != null) {
            received = chosen.received;
            chosen.received += first.passes() + 1;
            chosen.running++;
            chosen.queueOf(first).remove();
        }
        return first;
    }

    void finished(Task task) {
        Client client = clients.get(task.client());
        if (client != null) {
            client.running--;
            forgetIfIdle(task.client(), client);
        }
    }

    private void forgetIfIdle(String name, Client client) {
        if (client.isIdle()) {
            clients.remove(name);
        }
    }

    boolean isEmpty() {
        return clients.values().stream().allMatch(client -> client.quick.isEmpty() && client.slow.isEmpty());
    }
}
