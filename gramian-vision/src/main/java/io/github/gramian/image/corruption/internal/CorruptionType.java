package io.github.gramian.image.corruption.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** All corruptions by name, in the order of ImageNet-C; {@code ice} takes the place of its frost. */
public enum CorruptionType {
    GAUSSIAN_NOISE(true, true, Noise::gaussian),
    SHOT_NOISE(true, true, Noise::shot),
    IMPULSE_NOISE(true, true, Noise::impulse),
    DEFOCUS_BLUR(true, false, Blur::defocus),
    GLASS_BLUR(true, true, Blur::glass),
    MOTION_BLUR(true, true, Blur::motion),
    ZOOM_BLUR(true, false, Blur::zoom),
    SNOW(true, true, Weather::snow),
    ICE(true, true, Weather::ice),
    FOG(true, true, Weather::fog),
    BRIGHTNESS(true, false, Weather::brightness),
    CONTRAST(true, false, Digital::contrast),
    ELASTIC_TRANSFORM(true, true, Geometry::elastic),
    PIXELATE(true, false, Digital::pixelate),
    JPEG_COMPRESSION(true, false, Digital::jpeg),
    ROTATION(false, false, Geometry::rotation),
    SCALE_UP(false, false, Geometry::enlarged),
    SCALE_DOWN(false, false, Geometry::reduced);

    /** What a corruption does to an image at a severity of 1..5. */
    @FunctionalInterface
    interface Change {
        Planes apply(Planes image, int severity, Draws draws);
    }

    private final boolean standard;
    private final boolean random;

    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final Change change;

    CorruptionType(boolean standard, boolean random, Change change) {
        this.standard = standard;
        this.random = random;
        this.change = change;
    }

    /** Its name on the command line and in files. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it draws random numbers. */
    public boolean isRandom() {
        return random;
    }

    Change change() {
        return change;
    }

    /** The fifteen of ImageNet-C, over which robustness is usually averaged. */
    public static List<CorruptionType> standard() {
        return Arrays.stream(values()).filter(type -> type.standard).toList();
    }

    /** The corruption with this name. */
    public static CorruptionType of(String key) {
        return Arrays.stream(values())
                .filter(type -> type.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown corruption '" + key + "'; known: standard, all, " + keys(List.of(values()))));
    }

    /** The corruptions of some names, each once; {@code standard} and {@code all} are names of several. */
    public static List<CorruptionType> list(List<String> names) {
        if (names.isEmpty()) {
            throw new IllegalArgumentException("name at least one corruption, such as standard or fog");
        }
        Set<CorruptionType> types = new LinkedHashSet<>();
        for (String name : names) {
            switch (name) {
                case "standard" -> types.addAll(standard());
                case "all" -> types.addAll(List.of(values()));
                default -> types.add(of(name));
            }
        }
        return new ArrayList<>(types);
    }

    private static String keys(List<CorruptionType> types) {
        return types.stream().map(CorruptionType::key).collect(Collectors.joining(", "));
    }
}
