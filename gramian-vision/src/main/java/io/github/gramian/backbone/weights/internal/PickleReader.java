package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.backbone.weights.internal.SourceWeights.SourceTensor;
import io.github.gramian.io.internal.Text;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * Interprets a pickle as data. A pickle is a program for a small stack machine; in Python two of its instructions can call
 * anything. Here they accept only the names of {@link PickledGlobal}, and every other instruction only moves numbers,
 * strings, lists, tuples and dictionaries. Steps, sizes and memory are bounded, and nothing recurses.
 *
 * <p>Values: {@link #NONE}, Boolean, Long, BigInteger, Double, String, List, {@link PickledTuple}, Map, {@link PickledGlobal},
 * {@link PickledStorage}, {@link PickledTensor}.
 */
final class PickleReader {

    /** Python's None. */
    static final Object NONE = new Object();

    /** A mark on the stack. */
    private static final Object MARK = new Object();

    /** A ResNet-101 takes 25,000. Together with one small object per step, this bounds the heap. */
    static final int MAX_STEPS = 2_000_000;

    private static final int MAX_PROTOCOL = 5;
    private static final int MAX_INTEGER_BYTES = 32;

    private final Input in;
    private final List<Object> stack = new ArrayList<>();
    private final Map<Long, Object> memo = new HashMap<>();
    private final Map<String, PickledStorage> storages = new LinkedHashMap<>();

    PickleReader(Input in) {
        this.in = in;
    }

    /** Runs up to the STOP instruction and returns the value that is left. */
    Object read() throws WeightsException {
        for (int step = 0; step < MAX_STEPS; step++) {
            int instruction = in.u1();
            if (instruction == '.') {
                Object value = pop();
                if (!stack.isEmpty()) {
                    throw damaged("leaves values on the stack");
                }
                return value;
            }
            execute(instruction);
        }
        throw damaged("takes more than " + MAX_STEPS + " steps");
    }

    /** The storages it mentioned, by key. */
    Map<String, PickledStorage> storages() {
        return storages;
    }

    private void execute(int instruction) throws WeightsException {
        switch (instruction) {
            case 0x80 -> protocol(in.u1());
            case 0x95 -> in.i8(); // FRAME: a hint for buffered readers
            case '(' -> stack.add(MARK);
            case '0' -> pop();
            case '1' -> popToMark();
            case 'N' -> stack.add(NONE);
            case 0x88 -> stack.add(true);
            case 0x89 -> stack.add(false);
            case 'J' -> stack.add((long) in.i4());
            case 'K' -> stack.add((long) in.u1());
            case 'M' -> stack.add((long) in.u2());
            case 0x8a -> stack.add(integer(in.u1()));
            case 'G' -> stack.add(in.f8());
            case 'X' -> stack.add(in.string(in.u4()));
            case 0x8c -> stack.add(in.string(in.u1()));
            case 0x8d -> stack.add(in.string(in.i8()));
            case 'T' -> stack.add(in.string(in.i4()));
            case 'U' -> stack.add(in.string(in.u1()));
            case ']' -> stack.add(new ArrayList<>());
            case '}' -> stack.add(new LinkedHashMap<>());
            case ')' -> stack.add(PickledTuple.EMPTY);
            case 'l' -> stack.add(new ArrayList<>(popToMark()));
            case 't' -> stack.add(new PickledTuple(popToMark()));
            case 0x85 -> tuple(1);
            case 0x86 -> tuple(2);
            case 0x87 -> tuple(3);
            case 'a' -> append(List.of(pop()));
            case 'e' -> append(popToMark());
            case 's' -> {
                Object value = pop();
                setItems(List.of(pop(), value));
            }
            case 'u' -> setItems(popToMark());
            case 'q' -> memo.put((long) in.u1(), peek());
            case 'r' -> memo.put(in.u4(), peek());
            case 0x94 -> memo.put((long) memo.size(), peek());
            case 'h' -> recall(in.u1());
            case 'j' -> recall(in.u4());
            case 'c' -> stack.add(PickledGlobal.named(in.line(), in.line()));
            case 0x93 -> stackGlobal();
            case 'R' -> reduce();
            case 'b' -> build();
            case 'Q' -> persistent();
            default ->
                throw new WeightsException(String.format(
                        Locale.ROOT,
                        "the pickle uses instruction 0x%02x at byte %d, which Gramian does not execute: it can make or call objects, or is"
                                + " damaged. If you trust the file, load it in Python and save its state_dict() as safetensors",
                        instruction,
                        in.position() - 1));
        }
    }

    private static void protocol(int version) throws WeightsException {
        if (version > MAX_PROTOCOL) {
            throw damaged("has protocol " + version);
        }
    }

    private Object integer(int length) throws WeightsException {
        if (length > MAX_INTEGER_BYTES) {
            throw damaged("has an integer of " + length + " bytes");
        }
        byte[] little = in.raw(length);
        byte[] big = new byte[length + 1];
        for (int index = 0; index < length; index++) {
            big[length - index] = little[index];
        }
        big[0] = (byte) (length > 0 && little[length - 1] < 0 ? -1 : 0);
        BigInteger value = new BigInteger(big);
        return value.bitLength() < Long.SIZE ? (Object) value.longValue() : value;
    }

    private void tuple(int length) throws WeightsException {
        List<Object> values = new ArrayList<>();
        for (int index = 0; index < length; index++) {
            values.add(0, pop());
        }
        stack.add(new PickledTuple(values));
    }

    private void append(List<Object> values) throws WeightsException {
        if (!(peek() instanceof List<?>)) {
            throw damaged("appends to something that is not a list");
        }
        @SuppressWarnings("unchecked") // every list on the stack was made here
        List<Object> list = (List<Object>) peek();
        list.addAll(values);
    }

    private void setItems(List<Object> keysAndValues) throws WeightsException {
        if (!(peek() instanceof Map<?, ?>) || keysAndValues.size() % 2 != 0) {
            throw damaged("sets items of something that is not a dictionary");
        }
        @SuppressWarnings("unchecked") // every map on the stack was made here
        Map<Object, Object> map = (Map<Object, Object>) peek();
        for (int index = 0; index < keysAndValues.size(); index += 2) {
            Object key = keysAndValues.get(index);
            // Containers as keys would be hashed through and through, which a cycle makes endless.
            if (!(key instanceof String || key instanceof Long)) {
                throw damaged("has a dictionary key that is neither string nor integer");
            }
            map.put(key, keysAndValues.get(index + 1));
        }
    }

    private void recall(long key) throws WeightsException {
        Object value = memo.get(key);
        if (value == null) {
            throw damaged("recalls what it never stored");
        }
        stack.add(value);
    }

    private void stackGlobal() throws WeightsException {
        if (pop() instanceof String name && pop() instanceof String module) {
            stack.add(PickledGlobal.named(module, name));
        } else {
            throw damaged("names something by a value that is not a string");
        }
    }

    /** In Python: calls anything with anything. Here: the few constructors we know. */
    private void reduce() throws WeightsException {
        Object arguments = pop();
        Object callee = pop();
        if (!(arguments instanceof PickledTuple tuple) || !(callee instanceof PickledGlobal global)) {
            throw damaged("calls something that is not a constructor");
        }
        if (global instanceof PickledGlobal.OrderedDict && tuple.values().isEmpty()) {
            stack.add(new LinkedHashMap<>());
        } else if (global instanceof PickledGlobal.RebuildTensor) {
            stack.add(PickledTensor.of(tuple));
        } else if (global instanceof PickledGlobal.RebuildParameter && tuple.get(0) instanceof PickledTensor tensor) {
            stack.add(tensor);
        } else if (global instanceof PickledGlobal.Size && tuple.get(0) instanceof PickledTuple sizes) {
            stack.add(sizes);
        } else {
            throw damaged("calls a constructor with arguments it does not take");
        }
    }

    /** In Python: sets attributes or calls __setstate__. Here: a state dict's version notes are dropped, nothing else. */
    private void build() throws WeightsException {
        Object state = pop();
        if (!(peek() instanceof Map<?, ?>) || !(state instanceof Map<?, ?>)) {
            throw damaged("gives a state to something that has none");
        }
    }

    private void persistent() throws WeightsException {
        PickledStorage storage = PickledStorage.of(pop());
        PickledStorage before = storages.putIfAbsent(storage.key(), storage);
        if (before != null && !before.equals(storage)) {
            throw damaged("describes one storage in two ways");
        }
        stack.add(storage);
    }

    private List<Object> popToMark() throws WeightsException {
        for (int index = stack.size() - 1; index >= 0; index--) {
            if (stack.get(index) == MARK) {
                List<Object> above = new ArrayList<>(stack.subList(index + 1, stack.size()));
                stack.subList(index, stack.size()).clear();
                return above;
            }
        }
        throw damaged("lacks a mark");
    }

    private Object pop() throws WeightsException {
        Object top = peek();
        stack.remove(stack.size() - 1);
        return top;
    }

    private Object peek() throws WeightsException {
        if (stack.isEmpty() || stack.get(stack.size() - 1) == MARK) {
            throw damaged("takes from an empty stack");
        }
        return stack.get(stack.size() - 1);
    }

    private static WeightsException damaged(String what) {
        return new WeightsException("the pickle " + what + "; the file is damaged or hostile");
    }

    /** The bytes of a pickle. Every read is checked against what is left, so a length in the file is never trusted. */
    static final class Input {

        private static final int MAX_STRING = 1 << 16;

        private final ByteBuffer bytes;

        Input(ByteBuffer bytes) {
            this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
        }

        int position() {
            return bytes.position();
        }

        int u1() throws WeightsException {
            return need(1).get() & 0xff;
        }

        int u2() throws WeightsException {
            return need(2).getShort() & 0xffff;
        }

        int i4() throws WeightsException {
            return need(4).getInt();
        }

        long u4() throws WeightsException {
            return need(4).getInt() & 0xffffffffL;
        }

        long i8() throws WeightsException {
            return need(8).getLong();
        }

        /** A double; the one number that pickles store with the high byte first. */
        double f8() throws WeightsException {
            return Double.longBitsToDouble(Long.reverseBytes(need(8).getLong()));
        }

        byte[] raw(long length) throws WeightsException {
            byte[] read = new byte[checked(length)];
            bytes.get(read);
            return read;
        }

        String string(long length) throws WeightsException {
            ByteBuffer part = bytes.slice(bytes.position(), checked(length));
            bytes.position(bytes.position() + (int) length);
            try {
                return StandardCharsets.UTF_8.newDecoder().decode(part).toString();
            } catch (CharacterCodingException e) {
                throw new WeightsException("the pickle has a string that is not UTF-8; the file is damaged", e);
            }
        }

        /** A line, without its line break. */
        String line() throws WeightsException {
            int start = bytes.position();
            for (int length = 0; length < MAX_STRING && start + length < bytes.limit(); length++) {
                if (bytes.get(start + length) == '\n') {
                    String line = string(length);
                    u1();
                    return line;
                }
            }
            throw new WeightsException("the pickle has a line without end; the file is damaged");
        }

        private int checked(long length) throws WeightsException {
            if (length < 0 || length > MAX_STRING || length > bytes.remaining()) {
                throw new WeightsException(
                        "the pickle claims a string of " + length + " bytes where " + bytes.remaining()
                                + " are left and " + MAX_STRING + " allowed; the file is damaged or hostile");
            }
            return (int) length;
        }

        private ByteBuffer need(int count) throws WeightsException {
            if (bytes.remaining() < count) {
                throw new WeightsException("the pickle ends in the middle; the file is cut off, download it again");
            }
            return bytes;
        }
    }

    /**
     * The only names that a pickle may mention. In Python a name is looked up and called; here it is compared with this list
     * and stands for a few lines of {@link PickleReader}. A name never leads to any code.
     */
    sealed interface PickledGlobal {

        /** An ordered dictionary. */
        record OrderedDict() implements PickledGlobal {}

        /** A tensor from a storage, an offset, sizes and strides. */
        record RebuildTensor() implements PickledGlobal {}

        /** A parameter from a tensor. */
        record RebuildParameter() implements PickledGlobal {}

        /** A tuple of sizes. */
        record Size() implements PickledGlobal {}

        /** A kind of storage. */
        record StorageKind(TensorType type) implements PickledGlobal {}

        /** Name → meaning. */
        Map<String, PickledGlobal> ALLOWED = Map.ofEntries(
                Map.entry("collections.OrderedDict", new OrderedDict()),
                Map.entry("torch._utils._rebuild_tensor", new RebuildTensor()),
                Map.entry("torch._utils._rebuild_tensor_v2", new RebuildTensor()),
                Map.entry("torch._utils._rebuild_parameter", new RebuildParameter()),
                Map.entry("torch.Size", new Size()),
                Map.entry("torch.DoubleStorage", new StorageKind(TensorType.F64)),
                Map.entry("torch.FloatStorage", new StorageKind(TensorType.F32)),
                Map.entry("torch.HalfStorage", new StorageKind(TensorType.F16)),
                Map.entry("torch.BFloat16Storage", new StorageKind(TensorType.BF16)),
                Map.entry("torch.LongStorage", new StorageKind(TensorType.I64)),
                Map.entry("torch.IntStorage", new StorageKind(TensorType.I32)),
                Map.entry("torch.ShortStorage", new StorageKind(TensorType.I16)),
                Map.entry("torch.CharStorage", new StorageKind(TensorType.I8)),
                Map.entry("torch.ByteStorage", new StorageKind(TensorType.U8)),
                Map.entry("torch.BoolStorage", new StorageKind(TensorType.BOOL)));

        /** The meaning of a name. */
        static PickledGlobal named(String module, String name) throws WeightsException {
            PickledGlobal meaning = ALLOWED.get(module + "." + name);
            if (meaning == null) {
                throw new WeightsException(
                        "the pickle names " + printable(module + "." + name) + ", which Gramian does not load: only"
                                + " tensors, containers, numbers and strings are read, and nothing is run. If you trust the file, load it"
                                + " in Python and save its state_dict() as safetensors");
            }
            return meaning;
        }

        private static String printable(String name) {
            return Text.shortened(name.replaceAll("[^\\x20-\\x7e]", "?"), 120);
        }
    }

    /** A block of values stored next to a pickle, which refers to it by its key. */
    record PickledStorage(String key, TensorType type, long elements) {

        static PickledStorage of(Object persistentId) throws WeightsException {
            if (persistentId instanceof PickledTuple tuple
                    && tuple.values().size() >= 5
                    && tuple.get(0).equals("storage")
                    && tuple.get(1) instanceof PickledGlobal.StorageKind kind
                    && tuple.get(2) instanceof String key
                    && tuple.get(4) instanceof Long elements
                    && elements >= 0
                    && key.matches("[0-9A-Za-z_]{1,64}")) {
                if (tuple.values().size() == 6 && tuple.get(5) != PickleReader.NONE) {
                    throw new WeightsException("the file has a storage inside a storage, which very old PyTorch wrote;"
                            + " save it again with a newer one");
                }
                return new PickledStorage(key, kind.type(), elements);
            }
            throw new WeightsException(
                    "the pickle refers to something outside that is not a storage; the file is rejected");
        }
    }

    /**
     * A tensor as a pickle describes it: a view on a storage. It is checked when it is made, so that reading it touches only its
     * storage and never allocates more than the storage holds.
     */
    record PickledTensor(PickledStorage storage, long offset, List<Long> sizes, List<Long> strides) {

        private static final int MAX_DIMENSIONS = 16;

        /** Reads elements {@code offset … offset + count − 1} of the storage as a vector. */
        @FunctionalInterface
        interface Elements {
            Tensor read(TensorType type, long offset, long count) throws IOException;
        }

        static PickledTensor of(PickledTuple arguments) throws WeightsException {
            if (arguments.get(0) instanceof PickledStorage storage
                    && arguments.get(1) instanceof Long offset
                    && arguments.get(2) instanceof PickledTuple sizes
                    && arguments.get(3) instanceof PickledTuple strides) {
                PickledTensor tensor = new PickledTensor(storage, offset, sizes.integers(), strides.integers());
                tensor.check();
                return tensor;
            }
            throw new WeightsException(
                    "the pickle builds a tensor out of something else; the file is damaged or hostile");
        }

        private void check() throws WeightsException {
            boolean fits = offset >= 0 && sizes.size() == strides.size() && sizes.size() <= MAX_DIMENSIONS;
            try {
                // A stride of zero could blow a small storage up into a huge tensor; a saved weight never needs that.
                fits = fits && elements() <= storage.elements() && Math.addExact(offset, span()) <= storage.elements();
            } catch (ArithmeticException e) {
                fits = false;
            }
            if (!fits) {
                throw new WeightsException("the pickle has a tensor of sizes " + sizes + " and strides " + strides
                        + " that does not lie inside its storage of " + storage.elements()
                        + "; the file is damaged or hostile");
            }
        }

        private long elements() {
            return sizes.stream().reduce(1L, Math::multiplyExact);
        }

        /** Elements from the first to the last one that the view touches. */
        private long span() {
            if (sizes.contains(0L)) {
                return 0;
            }
            long last = 0;
            for (int dimension = 0; dimension < sizes.size(); dimension++) {
                last = Math.addExact(last, Math.multiplyExact(sizes.get(dimension) - 1, strides.get(dimension)));
            }
            return last + 1;
        }

        SourceTensor source(Elements elements) {
            return new SourceTensor(storage.type(), sizes, () -> {
                Tensor touched = elements.read(storage.type(), offset, span());
                long[] shape = sizes.stream().mapToLong(Long::longValue).toArray();
                if (touched.numel() == 0) {
                    return touched.reshape(shape);
                }
                return touched.as_strided(
                                shape,
                                strides.stream().mapToLong(Long::longValue).toArray())
                        .contiguous();
            });
        }
    }

    /** A tuple of a pickle. */
    record PickledTuple(List<Object> values) {

        static final PickledTuple EMPTY = new PickledTuple(List.of());

        PickledTuple {
            values = List.copyOf(values);
        }

        Object get(int index) throws WeightsException {
            if (index >= values.size()) {
                throw new WeightsException("the pickle has a tuple that is too short; the file is damaged");
            }
            return values.get(index);
        }

        /** Its values as sizes or strides. */
        List<Long> integers() throws WeightsException {
            for (Object value : values) {
                if (!(value instanceof Long number) || number < 0) {
                    throw new WeightsException(
                            "the pickle has a size or stride that is not a number ≥ 0; the file is damaged");
                }
            }
            return values.stream().map(Long.class::cast).toList();
        }
    }
}
