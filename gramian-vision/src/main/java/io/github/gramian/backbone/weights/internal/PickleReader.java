package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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

    private final PickleInput in;
    private final List<Object> stack = new ArrayList<>();
    private final Map<Long, Object> memo = new HashMap<>();
    private final Map<String, PickledStorage> storages = new LinkedHashMap<>();

    PickleReader(PickleInput in) {
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
}
