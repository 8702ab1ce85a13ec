package io.github.gramian.dense.internal;

import io.github.gramian.certainty.internal.CertaintyFile;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.internal.PreprocessingKey;
import io.github.gramian.json.internal.Json;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import io.github.gramian.tensor.safetensors.internal.SafetensorsWriter.Planned;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * {@link DenseParts} in a model's file, under the names of {@code docs/model-format.md}: matrices as tensors, and everything else
 * as one JSON object of the metadata. A model of good parts can be judged with the object alone, by an engine that computes the
 * scores.
 */
public final class DenseFile {

    /** The name of the object in the metadata. */
    public static final String KEY = "photographs";

    private static final String MAP = "map/";
    private static final String SURFACE = "surface/";

    private DenseFile() {}

    /** @param view the rule of the resizing, the interpolation and the normalisation */
    private record Settings(
            List<String> view,
            @Nullable MapSettings map,
            @Nullable SurfaceSettings surface) {}

    private record MapSettings(String tap, int window, float temperature, int photographs) {}

    /** What tells good parts from defects when the scores of a photograph are known. */
    private record SurfaceSettings(List<String> taps, Calibration calibration) {}

    /** The object of the metadata. */
    public static String text(DenseParts parts) {
        WholePhoto view = parts.view();
        return Json.text(new Settings(
                List.of(
                        view.resize().key(),
                        view.interpolation().key(),
                        view.normalisation().key()),
                parts.classes()
                        .map(ClassMap::parts)
                        .map(map -> new MapSettings(map.tap(), map.window(), map.temperature(), map.photographs()))
                        .orElse(null),
                parts.surface()
                        .map(Surface::parts)
                        .map(surface -> new SurfaceSettings(surface.taps(), surface.calibration()))
                        .orElse(null)));
    }

    /** Adds the matrices to the tensors of a model. */
    public static void add(DenseParts parts, Map<String, Planned> tensors) {
        parts.classes().map(ClassMap::parts).ifPresent(map -> {
            int components = map.weight().length / map.bias().length;
            put(tensors, MAP + "basis", map.basis(), components);
            put(tensors, MAP + "weight", map.weight(), map.bias().length);
            put(tensors, MAP + "bias", map.bias(), 1);
            CertaintyFile.add(MAP, new ModelCertainty(map.novelty(), Optional.empty()), tensors);
        });
        parts.surface().map(Surface::parts).ifPresent(surface -> {
            for (int tap = 0; tap < surface.taps().size(); tap++) {
                put(tensors, projection(tap), surface.projections().get(tap), surface.offset().length);
            }
            put(tensors, SURFACE + "offset", surface.offset(), 1);
        });
    }

    private static String projection(int tap) {
        return SURFACE + "projection" + (tap + 1);
    }

    private static void put(Map<String, Planned> tensors, String name, float[] values, int rows) {
        List<Long> shape = List.of((long) rows, (long) values.length / rows);
        tensors.put(
                name,
                new Planned(
                        TensorType.F32,
                        shape,
                        () -> torch.tensor(values)
                                .reshape(shape.stream()
                                        .mapToLong(Long::longValue)
                                        .toArray())));
    }

    /**
     * Reads what a model stores.
     *
     * @param text the object of the metadata
     * @throws IllegalArgumentException if it is damaged
     */
    public static DenseParts read(String text, SafetensorsFile file) throws IOException {
        Settings settings = settings(text);
        Optional<ClassMap> classes = Optional.empty();
        Optional<Surface> surface = Optional.empty();
        if (settings.map != null) {
            MapSettings map = settings.map;
            Optional<Novelty> novelty = CertaintyFile.read(MAP, file).novelty();
            classes = Optional.of(new ClassMap(new ClassMap.Parts(
                    map.tap,
                    map.window,
                    values(file, MAP + "basis"),
                    values(file, MAP + "weight"),
                    values(file, MAP + "bias"),
                    map.temperature,
                    novelty,
                    map.photographs)));
        }
        if (settings.surface != null) {
            List<float[]> projections = new ArrayList<>();
            for (int tap = 0; tap < settings.surface.taps.size(); tap++) {
                projections.add(values(file, projection(tap)));
            }
            surface = Optional.of(new Surface(new Surface.Parts(
                    settings.surface.taps,
                    projections,
                    values(file, SURFACE + "offset"),
                    settings.surface.calibration)));
        }
        return new DenseParts(view(settings), classes, surface);
    }

    /** How large the photographs are. */
    public static WholePhoto view(String text) {
        return view(settings(text));
    }

    /** What tells good parts from defects; empty if the model has classes. */
    public static Optional<Calibration> calibration(String text) {
        return Optional.ofNullable(settings(text).surface).map(SurfaceSettings::calibration);
    }

    private static Settings settings(String text) {
        try {
            Settings settings = Json.value(text.getBytes(StandardCharsets.UTF_8), Settings.class);
            if (settings.view.size() != 3) {
                throw new IllegalArgumentException("its photographs have " + settings.view.size() + " settings");
            }
            return settings;
        } catch (IOException | NullPointerException e) {
            throw new IllegalArgumentException("its settings for photographs cannot be read", e);
        }
    }

    private static WholePhoto view(Settings settings) {
        return new WholePhoto(
                PreprocessingKey.resize(settings.view.get(0)),
                PreprocessingKey.constant(Interpolation.class, settings.view.get(1)),
                PreprocessingKey.constant(Normalisation.class, settings.view.get(2)));
    }

    private static float[] values(SafetensorsFile file, String name) throws IOException {
        if (!file.contains(name)) {
            throw new IllegalArgumentException("it lacks the tensor " + name);
        }
        try (Scope scope = Scope.open()) {
            return HostCopy.floats(file.tensor(name));
        }
    }
}
