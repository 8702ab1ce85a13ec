package io.github.gramian.cli.chart;

import java.util.ArrayList;
import java.util.List;

/** One axis of a chart: maps numbers to positions in 0–1, with round numbers as ticks. */
public record Axis(double low, double high, boolean logarithmic, List<Double> ticks) {

    private static final int MAX_TICKS = 6;

    /** Numbers at equal distances; a little space is left if all values are equal. */
    public static Axis linear(double low, double high) {
        double from = low;
        double to = high;
        if (to - from < 1e-12 * Math.max(1, Math.abs(to))) {
            from -= 0.1 * Math.abs(from);
            to += to == 0 ? 1 : 0.1 * Math.abs(to);
        }
        double step = roundStep((to - from) / (MAX_TICKS - 1));
        double first = Math.floor(from / step) * step;
        double last = Math.ceil(to / step - 1e-9) * step;
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; first + i * step <= last + step / 2; i++) {
            // Rounded, since 3 × 0.1 would be labelled 0.30000000000000004.
            ticks.add(Math.rint((first + i * step) / step) * step);
        }
        return new Axis(first, last, false, ticks);
    }

    /** From a fraction to 1, for accuracies: never cut at the top, starting at a round fraction below the lowest. */
    public static Axis share(double low) {
        double from = Double.isFinite(low) ? Math.max(0, Math.min(0.9, Math.floor(low * 10) / 10)) : 0;
        double step = from >= 0.9 ? 0.02 : from >= 0.5 ? 0.1 : 0.2;
        double first = Math.floor(from / step + 1e-9) * step;
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; first + i * step < 1 + step / 2; i++) {
            ticks.add(Math.rint((first + i * step) / step) * step);
        }
        return new Axis(first, 1, false, ticks);
    }

    /** Powers of ten; both numbers are positive. */
    public static Axis logarithmic(double low, double high) {
        int first = (int) Math.floor(Math.log10(low) + 1e-9);
        int last = (int) Math.ceil(Math.log10(high) - 1e-9);
        if (last == first) {
            last++;
        }
        int stride = (last - first + MAX_TICKS - 2) / (MAX_TICKS - 1);
        List<Double> ticks = new ArrayList<>();
        for (int power = first; power <= last; power += stride) {
            ticks.add(Math.pow(10, power));
        }
        return new Axis(Math.pow(10, first), Math.pow(10, last), true, ticks);
    }

    /** Where a value lies, 0 at the low end and 1 at the high end. */
    public double place(double value) {
        return logarithmic
                ? (Math.log10(value) - Math.log10(low)) / (Math.log10(high) - Math.log10(low))
                : (value - low) / (high - low);
    }

    /** Whether a value can be drawn. */
    public boolean shows(double value) {
        return Double.isFinite(value) && (!logarithmic || value > 0);
    }

    /** 1, 2 or 5 times a power of ten, not less than the given step. */
    private static double roundStep(double least) {
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        for (double factor : new double[] {1, 2, 5}) {
            if (factor * power >= least * (1 - 1e-9)) {
                return factor * power;
            }
        }
        return 10 * power;
    }
}
