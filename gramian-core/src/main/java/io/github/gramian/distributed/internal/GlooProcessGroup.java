package io.github.gramian.distributed.internal;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.distributed.Rendezvous;
import io.github.gramian.distributed.internal.ProcessGroup.PendingCollective;
import io.github.gramian.tensor.Scope;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.bytedeco.javacpp.chrono.Milliseconds;
import org.bytedeco.pytorch.BroadcastOptions;
import org.bytedeco.pytorch.FileStore;
import org.bytedeco.pytorch.GlooDeviceVector;
import org.bytedeco.pytorch.ProcessGroupGloo;
import org.bytedeco.pytorch.Store;
import org.bytedeco.pytorch.TCPStore;
import org.bytedeco.pytorch.TCPStoreOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.Work;
import org.bytedeco.pytorch.global.torch;

/**
 * A process group over Gloo, whose ring all-reduce sums CPU tensors: every process receives the same bits,
 * which one of them has summed. Exchanges run on separate threads.
 */
final class GlooProcessGroup implements ProcessGroup {

    /** How long processes that are started one after the other wait for each other. */
    private static final Duration START = Duration.ofMinutes(5);

    /** One exchange of gradients while the next bucket starts. */
    private static final int THREADS = 2;

    private final DistributedConfig distributed;
    private final Store store;
    private final ProcessGroupGloo group;

    /**
     * Exchanges that were not awaited yet. Their handles must be released before the group: they hold its connections, and a
     * scope that frees them later writes into memory that the group has given back.
     */
    private final Set<Work> underWay = Collections.newSetFromMap(new IdentityHashMap<>());

    private long waited;
    private boolean closed;

    private GlooProcessGroup(DistributedConfig distributed, Store store, ProcessGroupGloo group) {
        this.distributed = distributed;
        this.store = store;
        this.group = group;
    }

    static GlooProcessGroup join(DistributedConfig distributed) {
        Duration start = distributed.timeout().compareTo(START) < 0 ? distributed.timeout() : START;
        try (Scope scope = Scope.open()) {
            String address = address(distributed.meeting()); // refuses an unknown host before the store looks for it
            Store store = store(distributed, start);
            ProcessGroupGloo.Options options = ProcessGroupGloo.Options.create(millis(start));
            options.devices(new GlooDeviceVector(ProcessGroupGloo.createDeviceForHostname(address)));
            options.threads(THREADS);
            ProcessGroupGloo group = new ProcessGroupGloo(store, distributed.rank(), distributed.size(), options);
            group.setTimeout(millis(distributed.timeout()));
            store.retainReference();
            group.retainReference();
            return new GlooProcessGroup(distributed, store, group);
        } catch (RuntimeException failure) {
            throw ProcessLostException.atStart(distributed, failure);
        }
    }

    private static Milliseconds millis(Duration time) {
        return new Milliseconds(time.toMillis());
    }

    /** A server of the first process that listens on all interfaces, or a file that needs no server. */
    private static Store store(DistributedConfig distributed, Duration start) {
        if (distributed.meeting() instanceof Rendezvous.AtPort place) {
            return new TCPStore(
                    place.host(),
                    new TCPStoreOptions()
                            .port((short) place.port()) // unsigned on the other side
                            .isServer(distributed.leads())
                            .waitWorkers(false)
                            .timeout(millis(start)));
        }
        if (distributed.meeting() instanceof Rendezvous.InFile place) {
            Store store = new FileStore(place.file().toString(), distributed.size());
            store.setTimeout(millis(start));
            return store;
        }
        throw new IllegalArgumentException("a single process has no others to meet");
    }

    /** The one address that this process listens at. */
    private static String address(Rendezvous meeting) {
        return meeting instanceof Rendezvous.AtPort place
                ? towards(place)
                : InetAddress.getLoopbackAddress().getHostAddress();
    }

    /** The address of this machine on the way to the store: the one that the others can reach. No packet is sent. */
    private static String towards(Rendezvous.AtPort place) {
        InetSocketAddress there = new InetSocketAddress(place.host(), place.port());
        if (there.isUnresolved()) {
            throw new IllegalArgumentException("the machine '" + place.host() + "' is not known here");
        }
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(there);
            InetAddress own = socket.getLocalAddress();
            return own.isAnyLocalAddress() ? there.getAddress().getHostAddress() : own.getHostAddress();
        } catch (SocketException e) {
            throw new IllegalArgumentException(
                    "there is no route from this machine to " + place.host() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public DistributedConfig distributed() {
        return distributed;
    }

    @Override
    public PendingCollective sum(List<Tensor> tensors) {
        List<PendingCollective> parts = new ArrayList<>();
        for (Bucket bucket : Bucket.of(tensors)) {
            Work work = started(group.allreduce(new TensorVector(bucket.joined())));
            parts.add(() -> {
                await(work);
                bucket.giveBack();
            });
        }
        return () -> parts.forEach(PendingCollective::await);
    }

    @Override
    public void broadcast(List<Tensor> tensors) {
        try (Scope scope = Scope.open()) {
            BroadcastOptions fromFirst = new BroadcastOptions().rootRank(0);
            List<Work> works = tensors.stream()
                    .map(tensor -> started(group.broadcast(new TensorVector(tensor), fromFirst)))
                    .toList();
            works.forEach(this::await);
        }
    }

    private Work started(Work work) {
        underWay.add(work);
        return work;
    }

    private void await(Work work) {
        long start = System.nanoTime();
        try {
            work._wait();
        } catch (RuntimeException failure) {
            throw ProcessLostException.during(distributed, failure);
        } finally {
            waited += System.nanoTime() - start;
            underWay.remove(work);
            work.close();
        }
    }

    @Override
    public double secondsWaited() {
        return waited / 1e9;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            underWay.forEach(Work::close);
            underWay.clear();
            group.releaseReference();
            store.releaseReference();
        }
    }

    /**
     * Tensors that are exchanged together: a large one as it is, small ones concatenated, since each exchange costs a fraction
     * of a millisecond whatever its size.
     *
     * @param tensors those that were copied, of one type, each as a vector in the order of its memory
     * @param joined the vector that is exchanged: the only one, or a concatenated copy of all
     */
    record Bucket(List<Tensor> tensors, Tensor joined) {

        /** Elements from which on a tensor is exchanged by itself. */
        private static final long LARGE = 1 << 18;

        /**
         * Groups tensors into buckets, in an order that depends only on their shapes and types. Their memory is exchanged as it
         * lies, so all processes must hold a tensor in the same layout, whichever that is.
         */
        static List<Bucket> of(List<Tensor> tensors) {
            List<Bucket> buckets = new ArrayList<>();
            List<Tensor> small = new ArrayList<>();
            for (Tensor tensor : tensors) {
                if (!tensor.is_non_overlapping_and_dense()) {
                    throw new IllegalArgumentException("only dense tensors can be exchanged; call contiguous() first");
                }
                if (tensor.numel() >= LARGE) {
                    buckets.add(new Bucket(List.of(), asItLies(tensor)));
                } else if (tensor.numel() > 0) {
                    if (!small.isEmpty() && !fits(small, tensor)) {
                        buckets.add(join(small));
                        small.clear();
                    }
                    small.add(asItLies(tensor));
                }
            }
            if (!small.isEmpty()) {
                buckets.add(join(small));
            }
            return buckets;
        }

        private static Tensor asItLies(Tensor tensor) {
            return tensor.as_strided(new long[] {tensor.numel()}, new long[] {1});
        }

        private static boolean fits(List<Tensor> small, Tensor next) {
            long elements = small.stream().mapToLong(Tensor::numel).sum();
            return elements + next.numel() <= LARGE && small.get(0).scalar_type().value == next.scalar_type().value;
        }

        private static Bucket join(List<Tensor> small) {
            if (small.size() == 1) {
                return new Bucket(List.of(), small.get(0));
            }
            return new Bucket(List.copyOf(small), torch.cat(new TensorVector(small.toArray(Tensor[]::new)), 0));
        }

        /** Copies the result of the exchange back into tensors that were copied. */
        void giveBack() {
            long start = 0;
            for (Tensor tensor : tensors) {
                tensor.copy_(joined.narrow(0, start, tensor.numel()));
                start += tensor.numel();
            }
        }
    }
}
