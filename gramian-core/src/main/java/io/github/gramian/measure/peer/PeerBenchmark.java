package io.github.gramian.measure.peer;

import static java.util.Objects.requireNonNull;

import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Phase;
import io.github.gramian.measure.Rounds;
import io.github.gramian.measure.Rounds.Timing;
import io.github.gramian.model.AggregationConfig;
import io.github.gramian.model.Head;
import io.github.gramian.model.HeadConfig;
import io.github.gramian.tensor.Engine;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Forward and backward of our head beside that of every {@link Peer}: the same features, the same number of threads, in
 * alternating rounds of one run.
 *
 * @param channels C
 * @param outputDim C′ of our head and of its twin; the others keep all C channels
 * @param positions N
 * @param batch images
 * @param rounds measured rounds
 * @param ownBlas whether peers keep the BLAS of their system instead of using ours
 */
public record PeerBenchmark(int channels, int outputDim, int positions, int batch, int rounds, boolean ownBlas) {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /** Thread pools of the contender before spin for some time before they sleep; nobody is measured meanwhile. */
    private static final long PAUSE_MILLIS = 50;

    /**
     * One peer's result.
     *
     * @param peer which
     * @param title what a table calls it
     * @param timing milliseconds of a step
     * @param oursOverPeer our median over its median; smaller is better for us
     * @param descriptorLength numbers in its descriptor
     * @param torch its version of PyTorch
     * @param blas the file of its BLAS
     */
    public record PeerResult(
            Peer peer,
            String title,
            Timing timing,
            double oursOverPeer,
            int descriptorLength,
            String torch,
            String blas) {}

    /**
     * What was measured.
     *
     * @param benchmark the sizes
     * @param blas of our engine
     * @param threads of everybody
     * @param ours milliseconds of a step
     * @param descriptorLength numbers in our descriptor
     * @param peers side by side with ours; empty where they cannot run
     * @param skipped why there are no peers, or null
     */
    public record Result(
            PeerBenchmark benchmark,
            String blas,
            int threads,
            Timing ours,
            int descriptorLength,
            List<PeerResult> peers,
            @Nullable String skipped) {}

    /** Measures. */
    public Result run(Python python) throws IOException {
        HeadConfig config = config();
        try (Scope scope = Scope.open();
                Head head = new Head(config, FLOAT, new Seed(1));
                PeerWorkspace workspace = PeerWorkspace.create()) {
            Tensor M = new Seed(2).normal(FLOAT, batch, channels, positions).relu_();
            Tensor gradient = new Seed(3).normal(FLOAT, batch, config.descriptorLength());
            Rounds rounds = new Rounds()
                    .withClock(
                            "ours",
                            afterPause(() -> Rounds.millisOf(() -> head.descriptor()
                                    .forward(M, Phase.inference())
                                    .backward(gradient))));
            if (python instanceof Python.Missing missing) {
                return result(rounds.run(2, this.rounds), config, Map.of(), missing.reason());
            }
            Tensor W = head.parameters().get(0).value();
            try (Team team = new Team()) {
                team.start((Python.Installed) python, workspace, this, M, W);
                team.members.forEach(
                        (peer, member) -> rounds.withClock(peer.name(), afterPause(member.process()::step)));
                return result(rounds.run(2, this.rounds), config, team.members, null);
            }
        }
    }

    /** The network of {@link io.github.gramian.measure.PlainHead}. */
    HeadConfig config() {
        return HeadConfig.standard(channels, 0, outputDim, 1, Fidelity.EXACT)
                .withAggregation(AggregationConfig.standard(Fidelity.PAPER));
    }

    private record Member(PeerProcess process, int descriptorLength) {}

    /** The peers, all started or none. */
    private static final class Team implements AutoCloseable {
        private final Map<Peer, Member> members = new EnumMap<>(Peer.class);

        void start(Python.Installed python, PeerWorkspace workspace, PeerBenchmark sizes, Tensor M, Tensor W)
                throws IOException {
            int threads = Engine.describe().threads();
            Path preload = sizes.ownBlas ? null : SharedBlas.find().orElse(null);
            PeerWorkspace.Numbers features = workspace.write("features", M);
            PeerWorkspace.Numbers weight = workspace.write("weight", W);
            for (Peer peer : Peer.values()) {
                PeerProcess process = PeerProcess.start(python, peer, workspace, threads, preload);
                members.put(peer, new Member(process, 0)); // so that it is closed whatever comes
                members.put(peer, new Member(process, process.setUp(threads, features, weight, null)));
            }
        }

        @Override
        public void close() {
            members.values().forEach(member -> member.process().close());
        }
    }

    private static DoubleSupplier afterPause(DoubleSupplier contender) {
        return () -> {
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            return contender.getAsDouble();
        };
    }

    private Result result(
            Map<String, Timing> timings, HeadConfig config, Map<Peer, Member> members, @Nullable String skipped) {
        Timing ours = requireNonNull(timings.get("ours"));
        List<PeerResult> peers = new ArrayList<>();
        members.forEach((peer, member) -> {
            Timing timing = requireNonNull(timings.get(peer.name()));
            PeerProcess.Hello hello = member.process().hello();
            peers.add(new PeerResult(
                    peer,
                    peer.title(),
                    timing,
                    ours.median() / timing.median(),
                    member.descriptorLength(),
                    hello.torch(),
                    hello.blas()));
        });
        Engine.Description engine = Engine.describe();
        return new Result(
                this, engine.blas(), engine.threads(), ours, config.descriptorLength(), List.copyOf(peers), skipped);
    }
}
