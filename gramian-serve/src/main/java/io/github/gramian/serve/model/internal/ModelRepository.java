package io.github.gramian.serve.model.internal;

import io.github.gramian.serve.batch.internal.BatchLimits;
import io.github.gramian.serve.batch.internal.BatchListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** All models that are served. The set is fixed; what is loaded in each place may be replaced at any time. */
public final class ModelRepository implements AutoCloseable {

    /** Name → version → place, in the order given. */
    private final Map<String, Map<String, Slot>> slots = new LinkedHashMap<>();

    /** Notified of the results of reloads. */
    public interface ReloadListener {

        void onReload(ModelSpec model);

        void onFailure(ModelSpec model, Exception failure);
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
     * @param version without one, the version that was given last
     * @throws UnknownModelException if there is none
     */
    public Lease lease(String name, Optional<String> version) {
        return slot(name, version).lease();
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
                listener.onReload(spec);
            }
        } catch (IOException | RuntimeException failure) {
            listener.onFailure(spec, failure);
        }
    }

    private Map<String, Slot> versionsOf(String name) {
        Map<String, Slot> versions = slots.get(name);
        if (versions == null) {
            throw new UnknownModelException(
                    "no model is called '" + name + "'; there are " + String.join(", ", slots.keySet()));
        }
        return versions;
    }

    private Slot slot(String name, Optional<String> version) {
        Map<String, Slot> versions = versionsOf(name);
        List<String> known = new ArrayList<>(versions.keySet());
        Slot slot = versions.get(version.orElse(known.get(known.size() - 1)));
        if (slot == null) {
            throw new UnknownModelException("the model '" + name + "' has no version '" + version.orElse("")
                    + "'; there are " + String.join(", ", known));
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
}
