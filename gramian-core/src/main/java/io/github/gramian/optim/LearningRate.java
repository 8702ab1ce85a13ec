package io.github.gramian.optim;

/** The learning rate as a function of the step; what depends on the step alone needs no state in a checkpoint. */
public sealed interface LearningRate {

    /** The rate for the step with this number, counted from 0. */
    double at(long step);

    /** Always the same. */
    record Constant(double rate) implements LearningRate {
        public Constant {
            checkRate(rate);
        }

        @Override
        public double at(long step) {
            return rate;
        }
    }

    /** Times a factor after every so many steps. */
    record Staircase(double rate, long everySteps, double factor) implements LearningRate {
        public Staircase {
            checkRate(rate);
            checkSteps(everySteps);
            checkFactor(factor);
        }

        @Override
        public double at(long step) {
            long stairs = step / everySteps;
            return rate * Math.pow(factor, (double) stairs);
        }
    }

    /** Half a cosine from the rate down to a last one, then constant. */
    record Cosine(double rate, double lastRate, long steps) implements LearningRate {
        public Cosine {
            checkRate(rate);
            checkSteps(steps);
            if (!(lastRate >= 0 && lastRate <= rate)) {
                throw new IllegalArgumentException(
                        "the last rate of a cosine must lie in [0, " + rate + "] but is " + lastRate);
            }
        }

        @Override
        public double at(long step) {
            double done = Math.min(1.0, (double) step / steps);
            return lastRate + (rate - lastRate) * 0.5 * (1 + Math.cos(Math.PI * done));
        }
    }

    /** Rises linearly to the rate of another schedule, which starts after that. */
    record WarmUp(long steps, LearningRate after) implements LearningRate {
        public WarmUp {
            checkSteps(steps);
        }

        @Override
        public double at(long step) {
            return step < steps ? after.at(0) * (step + 1) / (steps + 1) : after.at(step - steps);
        }
    }

    private static void checkRate(double rate) {
        if (!(rate > 0 && rate < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("a learning rate must be positive but is " + rate);
        }
    }

    private static void checkSteps(long steps) {
        if (steps < 1) {
            throw new IllegalArgumentException("a learning-rate schedule needs at least 1 step but got " + steps);
        }
    }

    private static void checkFactor(double factor) {
        if (!(factor > 0 && factor <= 1)) {
            throw new IllegalArgumentException(
                    "the factor of a learning-rate schedule must lie in (0, 1] but is " + factor);
        }
    }
}
