package io.github.gramian.bench.scale;

import java.util.Locale;

/** Times and sizes in readable units, to two or three digits. */
final class Quantities {

    private record Unit(double size, String name) {}

    private static final Unit[] TIMES = {
        new Unit(365.25 * 86_400, "years"),
        new Unit(86_400, "days"),
        new Unit(3_600, "h"),
        new Unit(60, "min"),
        new Unit(1, "s"),
        new Unit(1e-3, "ms")
    };

    private static final Unit[] BYTES = {
        new Unit(1e15, "PB"), new Unit(1e12, "TB"), new Unit(1e9, "GB"), new Unit(1e6, "MB"), new Unit(1e3, "kB")
    };

    private Quantities() {}

    static String seconds(double seconds) {
        return inUnit(seconds, TIMES, 1.5);
    }

    static String bytes(double bytes) {
        return inUnit(bytes, BYTES, 1);
    }

    /** A unit is used from this amount on; below the smallest, the smallest. */
    private static String inUnit(double value, Unit[] units, double from) {
        for (Unit unit : units) {
            if (value >= from * unit.size()) {
                return digits(value / unit.size()) + " " + unit.name();
            }
        }
        Unit smallest = units[units.length - 1];
        return digits(value / smallest.size()) + " " + smallest.name();
    }

    /** Three digits at most, never an exponent. */
    static String digits(double value) {
        if (value >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value >= 10 ? "%.0f" : value >= 1 ? "%.1f" : "%.2f", value);
    }
}
