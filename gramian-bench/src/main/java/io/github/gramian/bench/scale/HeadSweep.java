package io.github.gramian.bench.scale;

import static java.util.Objects.requireNonNull;

import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.Head;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.PeakMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Time and memory of the head, from feature maps to class scores and back, while one size grows.
 *
 * @param axis what grows
 * @param base the other sizes
 * @param values of the axis, ascending
 * @param rounds measured at each
 */
public record HeadSweep(Axis axis, HeadSizes base, List<Integer> values, int rounds) {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    public HeadSweep {
        values = List.copyOf(values);
        if (values.size() < 2) {
            throw new IllegalArgumentException("a sweep needs at least 2 values but has " + values);
        }
    }

    /**
     * One value.
     *
     * @param value of the axis
     * @param step milliseconds of forward and backward
     * @param forward milliseconds of only forward, without storing values for backward
     * @param stepMegabytes that the first step needs at its highest; NaN if the system does not report it
     */
    public record Point(int value, Timing step, Timing forward, double stepMegabytes) {}

    /**
     * All values.
     *
     * @param sweep what was asked
     * @param points in its order
     * @param step how the time of forward and backward grows
     * @param forward how the time of only forward grows
     * @param memory how the memory of a step grows; null if the system does not report it or nothing was needed
     */
    public record Result(
            HeadSweep sweep,
            List<Point> points,
            PowerLaw step,
            PowerLaw forward,
            @Nullable PowerLaw memory) {

        /** How the operations of the matrix products grow over the same values: what the time should do, at best. */
        public PowerLaw products() {
            return fit(
                    points,
                    point -> sweep.base().with(sweep.axis(), point.value()).flops());
        }

        /** The slope between the two largest values, where fixed costs weigh least. */
        public double stepSlopeAtEnd() {
            Point last = points.get(points.size() - 1);
            Point before = points.get(points.size() - 2);
            return Math.log(last.step().median() / before.step().median())
                    / Math.log((double) last.value() / before.value());
        }
    }

    public Result run() {
        List<Point> points = new ArrayList<>();
        Point unused = measure(values.get(0)); // what is loaded once must not count for the first value
        for (int value : values) {
            points.add(measure(value));
        }
        boolean memoryKnown = points.stream().allMatch(point -> point.stepMegabytes() > 0);
        return new Result(
                this,
                List.copyOf(points),
                fit(points, point -> point.step().median()),
                fit(points, point -> point.forward().median()),
                memoryKnown ? fit(points, Point::stepMegabytes) : null);
    }

    private Point measure(int value) {
        HeadSizes sizes = base.with(axis, value);
        try (Scope scope = Scope.open();
                Head head = new Head(sizes.config(), FLOAT, new Seed(1))) {
            Tensor M = new Seed(2)
                    .normal(FLOAT, sizes.batch(), sizes.channels(), sizes.positions())
                    .relu_();
            Tensor gradient = new Seed(3).normal(FLOAT, sizes.batch(), sizes.classes());
            Runnable step = () -> head.forward(M, Phase.inference()).backward(gradient);
            double megabytes = PeakMemory.megabytes(step);
            Map<String, Timing> timings = new Rounds()
                    .with("step", step)
                    .with("forward", () -> head.apply(M))
                    .run(1, rounds);
            return new Point(
                    value, requireNonNull(timings.get("step")), requireNonNull(timings.get("forward")), megabytes);
        }
    }

    private static PowerLaw fit(List<Point> points, ToDoubleFunction<Point> y) {
        return PowerLaw.fit(
                points.stream().mapToDouble(Point::value).toArray(),
                points.stream().mapToDouble(y).toArray());
    }
}
