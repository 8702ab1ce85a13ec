package io.github.gramian.image.internal;

import io.github.gramian.image.Augmentation;
import io.github.gramian.image.Crop;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Resize;
import io.github.gramian.io.internal.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Reads what {@link Preprocessing#identity} writes: for recipes, saved models and the command line. */
public final class PreprocessingKey {

    private PreprocessingKey() {}

    /** The preprocessing of an identity line; every part must be there, and nothing else. */
    public static Preprocessing parse(String identity) {
        Map<String, String> parts = new LinkedHashMap<>();
        for (String part : identity.split(";", -1)) {
            int equals = part.indexOf('=');
            if (equals < 1 || parts.put(part.substring(0, equals), part.substring(equals + 1)) != null) {
                throw unknown("part", part, "decode=…;resize=…;crops=…;augment=…;interpolation=…;normalise=…;size=…");
            }
        }
        Preprocessing parsed = new Preprocessing(
                decoding(parts),
                resize(take(parts, "resize")),
                list(take(parts, "crops"), PreprocessingKey::crop),
                list(take(parts, "augment"), PreprocessingKey::augmentation),
                constant(Interpolation.class, take(parts, "interpolation")),
                constant(Normalisation.class, take(parts, "normalise")),
                whole(numbers("size:" + take(parts, "size"), 1)[0]));
        if (!parts.isEmpty()) {
            throw unknown("part", parts.keySet().iterator().next(), "resize, crops, augment, interpolation, …");
        }
        return parsed;
    }

    /** Full if the key is missing, as in models that are older than reduced decoding. */
    private static Preprocessing.Decoding decoding(Map<String, String> parts) {
        String key = parts.remove("decode");
        return key == null ? Preprocessing.Decoding.FULL : constant(Preprocessing.Decoding.class, key);
    }

    /** {@code none}, {@code exact:WxH}, {@code short:N} or {@code factor:F}. */
    public static Resize resize(String key) {
        if (key.equals("none")) {
            return new Resize.None();
        }
        if (key.startsWith("exact:")) {
            double[] sides = numbers("exact:" + key.substring("exact:".length()).replace('x', ':'), 2);
            return new Resize.Exact(whole(sides[0]), whole(sides[1]));
        }
        if (key.startsWith("short:")) {
            return new Resize.ShortSide(whole(numbers(key, 1)[0]));
        }
        if (key.startsWith("factor:")) {
            return new Resize.Factor(numbers(key, 1)[0]);
        }
        throw unknown("resize", key, "none, exact:WxH, short:N or factor:F");
    }

    /** {@code whole}, {@code centre}, {@code five}, {@code ten}, {@code random:N} or {@code random-resized:N:a:b:r}. */
    public static Crop crop(String key) {
        return switch (key.substring(0, key.indexOf(':') + 1)) {
            case "" -> cropWithoutNumbers(key);
            case "random:" -> new Crop.RandomCrop(whole(numbers(key, 1)[0]));
            case "random-resized:" -> {
                double[] n = numbers(key, 4);
                yield new Crop.RandomResizedCrop(whole(n[0]), n[1], n[2], n[3]);
            }
            default -> throw unknownCrop(key);
        };
    }

    private static Crop cropWithoutNumbers(String key) {
        return switch (key) {
            case "whole" -> new Crop.Whole();
            case "centre" -> new Crop.Centre();
            case "five" -> new Crop.FiveCrop();
            case "ten" -> new Crop.TenCrop();
            default -> throw unknownCrop(key);
        };
    }

    private static IllegalArgumentException unknownCrop(String key) {
        return unknown("crop", key, "whole, centre, five, ten, random:N or random-resized:N:min:max:aspect");
    }

    /**
     * {@code mirror:p}, {@code jitter:brightness:contrast:saturation:hue}, {@code erase:p} or {@code
     * corrupt:name:severity}, with several names as {@code corrupt:fog,snow:1-5} for a random one.
     */
    public static Augmentation augmentation(String key) {
        if (key.startsWith("mirror:")) {
            return new Augmentation.Mirror(numbers(key, 1)[0]);
        }
        if (key.startsWith("jitter:")) {
            double[] n = numbers(key, 4);
            return Augmentation.colourJitter(n[0], n[1], n[2], n[3]);
        }
        if (key.startsWith("erase:")) {
            return Augmentation.randomErasing(numbers(key, 1)[0]);
        }
        if (key.startsWith("corrupt:")) {
            int severity = key.lastIndexOf(':');
            String name = key.substring("corrupt:".length(), Math.max("corrupt:".length(), severity));
            String[] range = key.substring(severity + 1).split("-", -1);
            int lowest = whole(numbers(":" + range[0], 1)[0]);
            if (range.length == 1 && !name.contains(",")) {
                return Augmentation.corruption(name, lowest);
            }
            int highest = range.length == 1 ? lowest : whole(numbers(":" + range[1], 1)[0]);
            return Augmentation.corruption(List.of(name.split(",", -1)), lowest, highest);
        }
        throw unknown(
                "augmentation",
                key,
                "mirror:p, jitter:brightness:contrast:saturation:hue, erase:p or corrupt:name:severity");
    }

    private static String take(Map<String, String> parts, String name) {
        String value = parts.remove(name);
        if (value == null) {
            throw new IllegalArgumentException("the preprocessing lacks '" + name + "='");
        }
        return value;
    }

    private static <T> List<T> list(String keys, Function<String, T> one) {
        List<T> list = new ArrayList<>();
        for (String key : keys.isEmpty() ? new String[0] : keys.split("\\+", -1)) {
            list.add(one.apply(key));
        }
        return list;
    }

    public static <E extends Enum<E>> E constant(Class<E> type, String key) {
        List<String> known = new ArrayList<>();
        for (E constant : type.getEnumConstants()) {
            String name = constant.name().toLowerCase(Locale.ROOT);
            if (name.equals(key)) {
                return constant;
            }
            known.add(name);
        }
        throw unknown(type.getSimpleName().toLowerCase(Locale.ROOT), key, String.join(", ", known));
    }

    /** The numbers after a key's first colon. */
    private static double[] numbers(String key, int count) {
        String[] parts = key.split(":", -1);
        double[] numbers = new double[count];
        if (parts.length != count + 1) {
            throw unknown("key", key, count + " number(s) after the name");
        }
        for (int i = 0; i < count; i++) {
            try {
                numbers[i] = Text.decimal(parts[i + 1]);
            } catch (NumberFormatException e) {
                throw unknown("number", parts[i + 1], "a number in '" + key + "'");
            }
        }
        return numbers;
    }

    private static int whole(double number) {
        if (number != Math.rint(number) || Math.abs(number) > Integer.MAX_VALUE) {
            throw unknown("number", Double.toString(number), "whole numbers");
        }
        return (int) number;
    }

    private static IllegalArgumentException unknown(String what, String found, String known) {
        return new IllegalArgumentException("unknown " + what + " '" + found + "'; known: " + known);
    }
}
