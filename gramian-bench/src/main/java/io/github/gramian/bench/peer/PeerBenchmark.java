package io.github.gramian.bench.peer;

import static java.util.Objects.requireNonNull;

import io.github.gramian.bench.measure.PlainHead;
import io.github.gramian.check.internal.Rounds;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.Head;
import io.github.gramian.model.config.HeadConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Engine;
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
 * Forward and backward of our head compared with that of every {@link Peer}: the same features, the same number of threads, in
 * alternating rounds of one run.
 *
 * @param channels C
 * @param outputDim C′ of our head and of the same head in Python; the others use all C channels
 * @param positions N
 * @param batch images
 * @param rounds measured rounds
 * @param ownBlas whether peers use the BLAS of their system instead of using ours
 */
public record PeerBenchmark(int channels, int outputDim, int positions, int batch, int rounds, boolean ownBlas) {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /** Steps that decide which number of BLAS threads suits a peer; the first is for warming up. */
    private static final int TRIAL_STEPS = 3;

    /**
     * One peer's result.
     *
     * @param peer which
     * @param title what a table calls it
     * @param timing milliseconds of a step
     * @param oursOverPeer our median over its median; smaller is better for us
     * @param descriptorLength dimensions of its descriptor
     * @param torch its version of PyTorch
     * @param blas the file of its BLAS
     * @param blasThreads of its BLAS: one or all, whichever is faster for it
     */
    public record PeerResult(
            Peer peer,
            String title,
            Timing timing,
            double oursOverPeer,
            int descriptorLength,
            String torch,
            String blas,
            int blasThreads) {}

    /**
     * What was measured.
     *
     * @param benchmark the sizes
     * @param blas of our engine
     * @param threads of every contender
     * @param ours milliseconds of a step
     * @param descriptorLength dimensions of our descriptor
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

    public Result run(Python python) throws IOException {
        HeadConfig config = config();
        try (Scope scope = Scope.open();
                Head head = new Head(config, FLOAT, new Seed(1));
                PeerWorkspace workspace = PeerWorkspace.create()) {
            Tensor M = new Seed(2).normal(FLOAT, batch, channels, positions).relu_();
            Tensor gradient = new Seed(3).normal(FLOAT, batch, config.descriptorLength());
            DoubleSupplier ours = () -> Rounds.millisOf(
                    () -> head.descriptor().forward(M, Phase.inference()).backward(gradient));
            Rounds rounds = new Rounds().withClock("ours", inItsStride(ours));
            if (python instanceof Python.Missing missing) {
                return result(rounds.run(2, this.rounds), config, Map.of(), missing.reason());
            }
            Tensor W = head.parameters().get(0).value();
            try (Team team = new Team()) {
                team.start((Python.Installed) python, workspace, this, M, W);
                team.members.forEach(
                        (peer, member) -> rounds.withClock(peer.name(), inItsStride(member.process()::step)));
                return result(rounds.run(2, this.rounds), config, team.members, null);
            }
        }
    }

    /** The network of {@link PlainHead}. */
    HeadConfig config() {
        return PlainHead.handWritten(channels, outputDim);
    }

    private record Member(PeerProcess process, int descriptorLength, int blasThreads) {

        double fastestOfTrial() {
            double fastest = process.step();
            for (int i = 1; i < TRIAL_STEPS; i++) {
                fastest = Math.min(fastest, process.step());
            }
            return fastest;
        }
    }

    /** The peers, each with the number of BLAS threads that suits it. */
    private static final class Team implements AutoCloseable {
        private final Map<Peer, Member> members = new EnumMap<>(Peer.class);

        void start(Python.Installed python, PeerWorkspace workspace, PeerBenchmark sizes, Tensor M, Tensor W)
                throws IOException {
            int threads = Engine.describe().threads();
            Path preload = sizes.ownBlas ? null : SharedBlas.find().orElse(null);
            PeerWorkspace.Values features = workspace.write("features", M);
            PeerWorkspace.Values weight = workspace.write("weight", W);
            for (Peer peer : Peer.values()) {
                double best = Double.POSITIVE_INFINITY;
                for (int blasThreads : threads == 1 ? new int[] {1} : new int[] {1, threads}) {
                    PeerProcess process = PeerProcess.start(python, peer, workspace, threads, blasThreads, preload);
                    double millis = Double.POSITIVE_INFINITY;
                    try {
                        Member member =
                                new Member(process, process.setUp(threads, features, weight, null), blasThreads);
                        Rounds.settle();
                        millis = member.fastestOfTrial();
                        if (millis < best) {
                            replace(peer, member);
                        }
                    } finally {
                        if (!(millis < best)) {
                            process.close();
                        }
                    }
                    best = Math.min(best, millis);
                }
            }
        }

        private void replace(Peer peer, Member member) {
            Member slower = members.put(peer, member);
            if (slower != null) {
                slower.process().close();
            }
        }

        @Override
        public void close() {
            members.values().forEach(member -> member.process().close());
        }
    }

    /**
     * A turn, which begins when the pools of the one before sleep: take one step that wakes the own, and time the next. What
     * is timed is a step among others, as in training, not the waking.
     */
    private static DoubleSupplier inItsStride(DoubleSupplier step) {
        return () -> {
            try (Scope scope = Scope.open()) {
                double unused = step.getAsDouble();
            }
            return step.getAsDouble();
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
                    hello.blas(),
                    member.blasThreads()));
        });
        Engine.Description engine = Engine.describe();
        return new Result(
                this, engine.blas(), engine.threads(), ours, config.descriptorLength(), List.copyOf(peers), skipped);
    }
}
