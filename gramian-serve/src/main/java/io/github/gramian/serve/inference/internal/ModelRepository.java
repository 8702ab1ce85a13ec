package io.github.gramian.serve.inference.internal;

import io.github.gramian.serve.inference.internal.Batcher.BatchLimits;
import io.github.gramian.serve.inference.internal.Batcher.BatchListener;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All models that are served. The set is fixed; what is loaded in each place may be replaced at any time. */
public final class ModelRepository implements AutoCloseable {

    /** Name → version → place, in the order given. */
    private final Map<String, Map<String, Slot>> slots = new LinkedHashMap<>();

    /** Receives the end of a reload. */
    @FunctionalInterface
    public interface ReloadListener {

        /**
         * A model was loaded again, or could not be.
         *
         * @param failure null if the model was loaded
         */
        void onReload(ModelSpec model, @Nullable Exception failure);
    }

    /**
     * Loads all of them.
     *
     * @param listeners one for the batches of each model
     */
    public static ModelRepository load(
            List<ModelSpec> specs, BatchLimits limits, Function<ModelSpec, BatchListener> listeners)
            throws IOException {
        if (specs.isEmpty()) {
            throw new IllegalArgumentException("there is no model to serve; give a model.gramian or a run directory");
        }
        ModelRepository repository = new ModelRepository();
        try {
            for (ModelSpec spec : specs) {
                Map<String, Slot> versions = repository.slots.computeIfAbsent(spec.name(), n -> new LinkedHashMap<>());
                if (versions.containsKey(spec.version())) {
                    throw new IllegalArgumentException("two models are called " + spec
                            + "; give them different names, such as name=path or name:2=path");
                }
                versions.put(spec.version(), new Slot(spec, limits, listeners.apply(spec)));
            }
            return repository;
        } catch (IOException | RuntimeException | Error failure) {
            repository.close();
            throw failure;
        }
    }

    public Set<String> versions(String name) {
        return versionsOf(name).keySet();
    }

    /** All models and versions as they are loaded now, for reports; not for use, since they may be freed. */
    public List<ServedModel> all() {
        return slots.values().stream()
                .flatMap(versions -> versions.values().stream())
                .map(Slot::current)
                .toList();
    }

    /**
     * A model to use.
     *
     * @param version without one, the version that was given last; 404 if there is none
     */
    public Lease lease(String name, Optional<String> version) {
        return slot(name, version).lease();
    }

    /** Refuses a name that leads nowhere. Nothing is held: a slow sender must not keep a replaced model alive. */
    public void require(String name, Optional<String> version) {
        lease(name, version).close();
    }

    /** The model that is used if none is named: the first. */
    public String defaultName() {
        return slots.keySet().iterator().next();
    }

    /** Images in the queue of a model, whichever is loaded there now. */
    public int waiting(ModelSpec spec) {
        return slot(spec.name(), Optional.of(spec.version()))
                .current()
                .batcher()
                .waiting();
    }

    /**
     * Loads a model's file again.
     *
     * @return whether there is a new model; not if another thread is loading it
     */
    public boolean reload(String name, Optional<String> version) throws IOException {
        return slot(name, version).reload();
    }

    /** Loads a model again if its file was replaced. If loading fails, the old model remains in use. */
    public void reloadReplaced(ModelSpec spec, ReloadListener listener) {
        Slot slot = slot(spec.name(), Optional.of(spec.version()));
        try {
            if (slot.isReplaced() && slot.reload()) {
                listener.onReload(spec, null);
            }
        } catch (IOException | RuntimeException failure) {
            listener.onReload(spec, failure);
        }
    }

    private Map<String, Slot> versionsOf(String name) {
        Map<String, Slot> versions = slots.get(name);
        if (versions == null) {
            throw new RequestException(
                    404, "no model is called '" + name + "'; there are " + String.join(", ", slots.keySet()));
        }
        return versions;
    }

    private Slot slot(String name, Optional<String> version) {
        Map<String, Slot> versions = versionsOf(name);
        List<String> known = new ArrayList<>(versions.keySet());
        Slot slot = versions.get(version.orElse(known.get(known.size() - 1)));
        if (slot == null) {
            throw new RequestException(
                    404,
                    "the model '" + name + "' has no version '" + version.orElse("") + "'; there are "
                            + String.join(", ", known));
        }
        return slot;
    }

    /** Retires all models and waits until their last requests are answered and their memory is free. */
    @Override
    public void close() {
        slots.values().forEach(versions -> versions.values().forEach(Slot::retire));
        for (ServedModel model : all()) {
            try {
                model.awaitFreed();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** The use of a model by one request: it remains loaded until the lease is closed. */
    public static final class Lease implements AutoCloseable {

        private final ServedModel model;
        private final AtomicBoolean over = new AtomicBoolean();

        Lease(ServedModel model) {
            this.model = model;
        }

        public ServedModel model() {
            return model;
        }

        @Override
        public void close() {
            if (over.compareAndSet(false, true)) {
                model.leave();
            }
        }
    }

    /** The place of one model and version, in which a loaded model follows another. */
    private static final class Slot {

        private final ModelSpec spec;
        private final BatchLimits limits;
        private final BatchListener listener;

        /** Held while a file is read. That may take for ever, so nothing waits for it. */
        private final ReentrantLock loading = new ReentrantLock();

        private volatile ServedModel current;
        private volatile FileStamp loaded;
        private FileStamp seen;
        private boolean retired;

        Slot(ModelSpec spec, BatchLimits limits, BatchListener listener) throws IOException {
            this.spec = spec;
            this.limits = limits;
            this.listener = listener;
            this.loaded = stamp();
            this.seen = loaded;
            this.current = ServedModel.load(spec, limits, listener);
        }

        /** Of the model's file, or of the run directory while it has no model. */
        private FileStamp stamp() {
            try {
                return FileStamp.of(spec.modelFile());
            } catch (IllegalArgumentException e) {
                return FileStamp.of(spec.file());
            }
        }

        ServedModel current() {
            return current;
        }

        Lease lease() {
            while (true) {
                ServedModel model = current;
                if (model.enter()) {
                    return new Lease(model);
                }
                if (model == current) {
                    throw notServed();
                }
            }
        }

        private RequestException notServed() {
            return new RequestException(404, spec + " is not served any more");
        }

        /**
         * Loads the file again, warms up, and only then lets new requests go there; those under way end on the old one.
         *
         * @return whether there is a new model; not if another thread is loading it
         */
        boolean reload() throws IOException {
            if (!loading.tryLock()) {
                return false;
            }
            try {
                if (isRetired()) {
                    throw notServed();
                }
                loaded = stamp();
                replaceBy(ServedModel.load(spec, limits, listener));
                return true;
            } finally {
                loading.unlock();
            }
        }

        private synchronized void replaceBy(ServedModel next) {
            ServedModel unused = retired ? next : current;
            current = retired ? current : next;
            unused.leave();
            if (retired) {
                throw notServed();
            }
        }

        private synchronized boolean isRetired() {
            return retired;
        }

        /**
         * Whether the file was replaced or removed since it was loaded, and has not changed since the last time this was asked: a
         * file that is still being written is left alone. One that could not be loaded is not tried again until it changes. For one
         * thread.
         */
        boolean isReplaced() {
            FileStamp now = stamp();
            boolean replaced = now.equals(seen) && !now.equals(loaded);
            seen = now;
            return replaced && !isRetired();
        }

        /** The model that is loaded now is the last one here. */
        synchronized void retire() {
            if (!retired) {
                retired = true;
                current.leave();
            }
        }
    }
}
