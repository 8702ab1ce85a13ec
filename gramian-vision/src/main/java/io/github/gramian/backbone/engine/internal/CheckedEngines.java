package io.github.gramian.backbone.engine.internal;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.bytedeco.pytorch.Tensor;

/**
 * Opens fast engines for one frozen network, and compares the features of each with those of LibTorch on one random image. If
 * an engine fails or differs, a warning is logged once and LibTorch computes instead.
 */
public final class CheckedEngines {

    /**
     * Opens engines of one kind for the network.
     *
     * @param name and version of the engine, for messages
     */
    public record Opener(String name, Opening opening) {}

    /** Opens an engine; empty if it does not support the network. */
    @FunctionalInterface
    public interface Opening {
        Optional<FrozenEngine> open(FrozenRequest request) throws IOException;
    }

    private static final System.Logger LOG = System.getLogger("io.github.gramian");

    /** Largest allowed difference as a share of the largest feature. A different order of additions changes less than 1e-5. */
    private static final double TOLERANCE = 1e-4;

    /** Side of the image on which an engine for all sizes is compared: every layer is computed, and it takes little time. */
    private static final int SMALL_SIZE = 64;

    private final List<Opener> openers;
    private final BiFunction<Tensor, List<String>, List<Tensor>> plain;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * @param openers in the order of preference
     * @param plain the features of images at some layers, computed by LibTorch
     */
    public CheckedEngines(List<Opener> openers, BiFunction<Tensor, List<String>, List<Tensor>> plain) {
        this.openers = List.copyOf(openers);
        this.plain = plain;
    }

    /** An engine of the first opener that supports the network; empty if LibTorch must compute. */
    public Optional<FrozenEngine> open(FrozenRequest request) {
        for (Opener opener : openers) {
            try {
                Optional<FrozenEngine> engine = opener.opening().open(request);
                if (engine.isPresent() && agrees(opener, engine.get(), request)) {
                    return engine;
                }
                engine.ifPresent(FrozenEngine::close);
            } catch (IOException | RuntimeException | LinkageError e) {
                warn(opener, "cannot run this network (" + e.getMessage() + ")");
            }
        }
        return Optional.empty();
    }

    private boolean agrees(Opener opener, FrozenEngine engine, FrozenRequest request) {
        try (Scope scope = Scope.open()) {
            int size = request.size() == FrozenRequest.ANY_SIZE ? SMALL_SIZE : request.size();
            Tensor image = new Seed(1).normal(Placement.cpu(Precision.FLOAT), 1, 3, size, size);
            List<Tensor> ours = engine.features(image);
            List<Tensor> expected = plain.apply(image, request.taps());
            for (int tap = 0; tap < expected.size(); tap++) {
                double difference = difference(ours.get(tap), expected.get(tap));
                // Written so that NaN does not pass.
                if (!(difference <= TOLERANCE)) {
                    warn(
                            opener,
                            String.format(
                                    Locale.ROOT,
                                    "computes different features at %s: they differ by %.1e of the largest one",
                                    request.taps().get(tap),
                                    difference));
                    return false;
                }
            }
            return true;
        } catch (RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    /** The largest difference as a share of the largest expected value. */
    private static double difference(Tensor ours, Tensor expected) {
        double largest = expected.abs().max().item_double();
        double difference = ours.sub(expected).abs().max().item_double();
        return largest == 0 ? difference : difference / largest;
    }

    private void warn(Opener opener, String reason) {
        if (warned.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, opener.name() + " " + reason + "; LibTorch computes the features instead");
        }
    }
}
