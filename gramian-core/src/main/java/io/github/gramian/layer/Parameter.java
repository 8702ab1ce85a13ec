package io.github.gramian.layer;

import io.github.gramian.manifold.Euclidean;
import io.github.gramian.manifold.Manifold;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.CpuWorkers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * A named tensor of a layer with its gradient and the manifold it lives on. It owns both tensors: they outlive every
 * scope, until {@link #close}.
 *
 * <p>A parameter that is not trainable is a statistic, such as a running mean: saved and restored, never optimized.
 */
public class Parameter implements AutoCloseable {

    /**
     * What a parameter is for. A training picks its learning rate, clip and decay by it; names are for files and people.
     */
    public enum Role {
        /** Weights of the last layer. */
        CLASSIFIER,
        /** Bias of the last layer. */
        CLASSIFIER_BIAS,
        /** Weights and bias of a convolution, and all that your own layer learns in Euclidean space. */
        CONVOLUTION,
        /** Codewords of an encoding, and what belongs to them. */
        CODEBOOK,
        /** W of a transformation of SPD matrices, and all that your own layer learns on another manifold. */
        TRANSFORM,
        /** Weights of the network that makes the feature maps. */
        BACKBONE,
        /** Updated by its layer; never optimized. */
        STATISTIC
    }

    private final String name;
    private final Role role;
    private final Manifold manifold;
    private final Tensor value;
    private @Nullable Tensor gradient;

    /** Gradient sums of tasks, by the task's number; null where a task added none. */
    private final List<@Nullable Tensor> taskGradients = new ArrayList<>();

    /** Takes over a detached view of the tensor. */
    protected Parameter(String name, Role role, Tensor value, Manifold manifold) {
        this.name = name;
        this.role = role;
        this.manifold = manifold;
        this.value = Scope.own(value.detach());
    }

    /** A trainable parameter on a manifold. */
    public static Parameter of(String name, Role role, Tensor value, Manifold manifold) {
        if (role == Role.STATISTIC) {
            throw new IllegalArgumentException(name + " is a statistic, which is not trained; use Parameter.statistic");
        }
        return new Parameter(name, role, value.contiguous(), manifold);
    }

    /** A trainable parameter of your own layer, on a manifold. */
    public static Parameter of(String name, Tensor value, Manifold manifold) {
        return of(name, manifold instanceof Euclidean ? Role.CONVOLUTION : Role.TRANSFORM, value, manifold);
    }

    /** A trainable parameter of your own layer, in Euclidean space. */
    public static Parameter of(String name, Tensor value) {
        return of(name, value, new Euclidean());
    }

    /** A trainable parameter in Euclidean space. */
    public static Parameter of(String name, Role role, Tensor value) {
        return of(name, role, value, new Euclidean());
    }

    /**
     * A trainable parameter in Euclidean space that is also another's weight: it uses the tensor's own memory in the layout it
     * has, so that every holder of the tensor sees every step.
     */
    public static Parameter shared(String name, Role role, Tensor weight) {
        return new Parameter(name, role, weight, new Euclidean());
    }

    /** A statistic that the layer itself keeps up to date. */
    public static Parameter statistic(String name, Tensor value) {
        return new Parameter(name, Role.STATISTIC, value.contiguous(), new Euclidean());
    }

    /** Unique within a network; the name in a saved model. */
    public String name() {
        return name;
    }

    /** The role of the parameter. */
    public Role role() {
        return role;
    }

    /** Where the value lives. */
    public Manifold manifold() {
        return manifold;
    }

    /** Whether an optimizer may move it. */
    public boolean trainable() {
        return role != Role.STATISTIC;
    }

    /** The value; always the same tensor, updated in place. */
    public Tensor value() {
        return value;
    }

    /**
     * The sum of the gradients since {@link #clearGradient}; always the same tensor, zero at first. Inside a
     * task of {@link CpuWorkers} it is the task's own sum, which {@link #collectTasks} adds to the others.
     */
    public Tensor gradient() {
        return CpuWorkers.insideTask() ? taskGradient(CpuWorkers.task()) : ownGradient();
    }

    private Tensor ownGradient() {
        if (gradient == null) {
            gradient = zeros();
        }
        return gradient;
    }

    private synchronized Tensor taskGradient(int task) {
        while (taskGradients.size() <= task) {
            taskGradients.add(null);
        }
        Tensor sum = taskGradients.get(task);
        if (sum == null) {
            sum = zeros();
            taskGradients.set(task, sum);
        }
        return sum;
    }

    private Tensor zeros() {
        try (Scope scope = Scope.open()) {
            return Scope.own(torch.zeros_like(value));
        }
    }

    /** Adds what tasks have summed up, in the order of their indices; called when they have finished. */
    public synchronized void collectTasks() {
        for (Tensor sum : taskGradients) {
            if (sum != null) {
                ownGradient().add_(sum);
                sum.zero_();
            }
        }
    }

    /** Adds to the gradient. */
    public void accumulate(Tensor more) {
        gradient().add_(more);
    }

    /** Sets the gradient to zero. */
    public void clearGradient() {
        gradient().zero_();
    }

    /** Copies new values into it. */
    public void assign(Tensor newValue) {
        value.copy_(newValue);
    }

    @Override
    public void close() {
        Scope.disown(value);
        if (gradient != null) {
            Scope.disown(gradient);
        }
        taskGradients.stream().filter(Objects::nonNull).forEach(Scope::disown);
    }

    @Override
    public String toString() {
        return name;
    }
}
