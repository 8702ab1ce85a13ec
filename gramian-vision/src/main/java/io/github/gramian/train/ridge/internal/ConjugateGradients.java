package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Solves (XᵀX + λI)W = B for several λ side by side, by preconditioned conjugate gradients in float. All columns share
 * every pass over X; a λ whose columns are all found drops out.
 *
 * <p>The measure is that of scores. With the error E of W, ‖XE‖²/n ≤ tr(Eᵀ(XᵀX + λI)E)/n: the mean squared error of the
 * training rows' scores is at most the energy of the error, which every step lowers by α·rᵀz, a number at hand. Iterations
 * end once two successive steps have lowered it by no more than the square of the tolerance, in every column. Scores regress on 0 and 1,
 * so the tolerance needs no unit.
 */
final class ConjugateGradients {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /** Float recurrences gain no more than this fraction of the energy; what is left is for a new residual. */
    private static final double MIN_GAIN = 1e-10;

    private static final int MAX_ROUNDS = 5;

    private final CentredRows X;
    private final SubsetPreconditioner preconditioner;
    private final int maxIterations;
    private int iterations;
    private double movement;
    private List<Double> unfinished = List.of();

    ConjugateGradients(CentredRows X, SubsetPreconditioner preconditioner, int maxIterations) {
        this.X = X;
        this.preconditioner = preconditioner;
        this.maxIterations = maxIterations;
    }

    /** Passes over X so far, counted for each λ. */
    int iterations() {
        return iterations;
    }

    /** The change of scores in the last step of the last solution, root mean square: above the tolerance where iterations ended early. */
    double movement() {
        return movement;
    }

    /** The λ of the last solutions that were not solved to the tolerance when the iterations ended. */
    List<Double> unfinished() {
        return unfinished;
    }

    /**
     * Solutions as exact as floats allow.
     *
     * @param B right-hand sides for each λ: [d, c], double
     * @param start where to start from, the same for each λ: [d, c]
     * @return W for one λ after the other: [d, c] each, float
     */
    List<Tensor> solve(Tensor B, Tensor start, List<Double> lambdas, double tolerance) {
        try (Scope scope = Scope.open()) {
            Tensor W = FLOAT.place(start);
            Tensor smooth = B.sub(X.times(W));
            List<Tensor> residuals = lambdas.stream()
                    .map(lambda -> FLOAT.place(smooth.sub(DOUBLE.place(W).mul(scalar(lambda)))))
                    .toList();
            Descent descent = descend(residuals, lambdas, tolerance);
            return descent.errors.stream().map(E -> scope.promote(E.add_(W))).toList();
        }
    }

    /** The solution for one λ as exact as the rows: residuals are computed in double until a new one moves nothing. */
    Tensor refine(Tensor B, Tensor start, double lambda, double tolerance) {
        try (Scope scope = Scope.open()) {
            Tensor W = DOUBLE.place(start).clone();
            for (int round = 0; round < MAX_ROUNDS; round++) {
                try (Scope step = Scope.open()) {
                    Tensor residual = B.sub(X.times(W)).sub_(W.mul(scalar(lambda)));
                    Descent descent = descend(List.of(FLOAT.place(residual)), List.of(lambda), tolerance);
                    W.add_(descent.errors.get(0));
                    movement = Math.sqrt(descent.energy / X.count());
                }
                if (movement <= tolerance) {
                    break;
                }
            }
            return scope.promote(W);
        }
    }

    private Descent descend(List<Tensor> residuals, List<Double> lambdas, double tolerance) {
        Descent descent = new Descent(residuals, lambdas);
        double enough = tolerance * tolerance * X.count();
        for (int i = 0; i < maxIterations && !descent.active.isEmpty(); i++) {
            descent.step(enough);
        }
        unfinished = descent.active.stream().map(lambdas::get).toList();
        descent.leave(descent.active);
        return descent;
    }

    /** The recurrences: columns of the active λ side by side, [d, c·λ], those of one λ together. */
    private final class Descent {

        private final List<Tensor> errors = new ArrayList<>();
        private final List<Double> lambdas;
        private final long c;
        private List<Integer> active = new ArrayList<>();
        private final boolean[] small;
        private final double[] gained;
        private Tensor shifts;
        private Tensor E;
        private Tensor R;
        private Tensor D;
        private Tensor rz;
        private double energy;

        Descent(List<Tensor> residuals, List<Double> lambdas) {
            this.lambdas = lambdas;
            this.c = residuals.get(0).size(1);
            this.small = new boolean[lambdas.size()];
            this.gained = new double[lambdas.size()];
            for (int i = 0; i < lambdas.size(); i++) {
                active.add(i);
                errors.add(residuals.get(i)); // replaced when the λ leaves
            }
            this.R = join(residuals);
            this.E = torch.zeros_like(R);
            this.shifts = shifts();
            this.D = preconditioner.times(R, shifts);
            this.rz = dots(R, D);
        }

        void step(double enough) {
            try (Scope scope = Scope.open()) {
                Tensor single = FLOAT.place(shifts);
                Tensor AD = FLOAT.place(X.times(D)).add_(D.mul(single));
                Tensor alpha = ratio(rz, dots(D, AD));
                E.add_(D.mul(FLOAT.place(alpha)));
                R.sub_(AD.mul_(FLOAT.place(alpha)));
                iterations += active.size();
                List<Integer> found = found(alpha.mul(rz), enough);
                Tensor Z = preconditioner.times(R, shifts);
                Tensor next = dots(R, Z);
                D.mul_(FLOAT.place(ratio(next, rz))).add_(Z);
                rz.copy_(next);
                if (!found.isEmpty()) {
                    leave(found);
                    keep(found, scope);
                }
            }
        }

        /** The active λ for which two successive steps gained little in every column. gains: [c·λ]. */
        private List<Integer> found(Tensor gains, double enough) {
            List<Integer> found = new ArrayList<>();
            for (int i = 0; i < active.size(); i++) {
                int place = active.get(i);
                Tensor own = gains.narrow(0, i * c, c);
                double most = own.max().item_double();
                double sum = own.sum().item_double();
                gained[place] += sum;
                energy += sum;
                movement = Math.sqrt(Math.max(0, most) / X.count());
                boolean little = most <= Math.max(enough, MIN_GAIN * gained[place]);
                if (little && small[place]) {
                    found.add(place);
                }
                small[place] = little;
            }
            return found;
        }

        /** Takes the solutions of some λ out. */
        private void leave(List<Integer> found) {
            for (int place : found) {
                errors.set(place, E.narrow(1, active.indexOf(place) * c, c).clone());
            }
        }

        /** Goes on without those. */
        private void keep(List<Integer> found, Scope scope) {
            for (int place : found) {
                errors.set(place, scope.promote(errors.get(place)));
            }
            List<Integer> rest =
                    active.stream().filter(place -> !found.contains(place)).toList();
            if (!rest.isEmpty()) {
                E = scope.promote(columns(E, rest));
                R = scope.promote(columns(R, rest));
                D = scope.promote(columns(D, rest));
                rz = scope.promote(columns(rz.unsqueeze(0), rest).squeeze(0));
            }
            active = new ArrayList<>(rest);
            if (!rest.isEmpty()) {
                shifts = scope.promote(shifts());
            }
        }

        private Tensor columns(Tensor all, List<Integer> places) {
            return join(places.stream()
                    .map(place -> all.narrow(1, active.indexOf(place) * c, c))
                    .toList());
        }

        /** λ of every column: [c·λ], double. */
        private Tensor shifts() {
            return Judge.vector(active.stream().mapToDouble(lambdas::get).toArray())
                    .repeat_interleave(c);
        }
    }

    /** Matrices side by side: [d, q₁], [d, q₂], … to [d, q₁ + q₂ + …]. */
    static Tensor join(List<Tensor> matrices) {
        return torch.cat(new TensorVector(matrices.toArray(Tensor[]::new)), 1);
    }

    /** a/b, or 0 for a column that has nothing left. */
    private static Tensor ratio(Tensor a, Tensor b) {
        return a.div(b).masked_fill_(b.le(scalar(0)), scalar(0)).clamp_min_(scalar(0));
    }

    /** The inner products of columns, summed in double: [q]. */
    private static Tensor dots(Tensor A, Tensor B) {
        return A.mul(B).sum(new long[] {0}, false, new ScalarTypeOptional(ScalarType.Double));
    }
}
