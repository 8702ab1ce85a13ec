package io.github.gramian.backbone.weights.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.backbone.weights.internal.PickleReader.Input;
import io.github.gramian.backbone.weights.internal.PickleReader.PickledTuple;
import io.github.gramian.backbone.weights.internal.TorchFiles.Program;
import io.github.gramian.backbone.weights.internal.TorchSource.StateDict;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PickleReaderTest {

    @Test
    void containers_numbers_and_strings_are_read() throws WeightsException {
        Program program = new Program()
                .op('}', '(')
                .string("list")
                .op(']', 'q', 5, '(', 'K', 1, 'M', 2, 1, 'J', 0xff, 0xff, 0xff, 0xff, 'e')
                .string("same")
                .op('h', 5)
                .string("tuple")
                .op('N', 0x88, 0x89, 0x87)
                .string("half")
                .op('G', 0x3f, 0xe0, 0, 0, 0, 0, 0, 0)
                .op(0x8c, 3, 'b', 'i', 'g')
                .op(0x8a, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1)
                .string("minus")
                .op(0x8a, 1, 0xff)
                .op('U', 1, 'o')
                .op(']', 'K', 7, 'a', 'u');
        Map<?, ?> map = (Map<?, ?>) read(program.stop());
        assertThat(map.get("list")).isEqualTo(List.of(1L, 258L, -1L));
        assertThat(map.get("same")).isSameAs(map.get("list"));
        assertThat(((PickledTuple) java.util.Objects.requireNonNull(map.get("tuple"))).values())
                .containsExactly(PickleReader.NONE, true, false);
        assertThat(map.get("half")).isEqualTo(0.5);
        assertThat(map.get("big")).isEqualTo(BigInteger.ONE.shiftLeft(64));
        assertThat(map.get("minus")).isEqualTo(-1L);
        assertThat(map.get("o")).isEqualTo(List.of(7L));
    }

    @Test
    void newer_protocols_are_read_too() throws WeightsException {
        Program program = new Program()
                .op(0x80, 4, 0x95, 9, 0, 0, 0, 0, 0, 0, 0)
                .op(0x8c, 11)
                .op("collections".chars().toArray())
                .op(0x94, 0x8c, 11)
                .op("OrderedDict".chars().toArray())
                .op(0x93, ')', 'R', 0x8d, 1, 0, 0, 0, 0, 0, 0, 0, 'k', '(', 'j', 0, 0, 0, 0, 'l', 's');
        assertThat(read(program.stop())).isEqualTo(Map.of("k", List.of("collections")));
    }

    @ParameterizedTest
    @CsvSource({
        "os, system",
        "posix, system",
        "nt, system",
        "builtins, eval",
        "builtins, exec",
        "builtins, getattr",
        "builtins, __import__",
        "__builtin__, eval",
        "subprocess, Popen",
        "torch, load",
        "torch.serialization, load",
        "torch._utils, _rebuild_tensor_v2.__globals__",
        "torch.nn.modules.linear, Linear",
        "numpy.core.multiarray, _reconstruct",
        "_codecs, encode",
        "collections, OrderedDict.__reduce__",
    })
    void any_name_outside_the_list_is_refused_before_anything_follows(String module, String name) {
        byte[] called = new Program()
                .global(module, name)
                .op('(')
                .string("touch /tmp/owned")
                .op('t', 'R')
                .stop();
        assertThatThrownBy(() -> read(called))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining(module)
                .hasMessageContaining("nothing is run");
        byte[] byStack =
                new Program().string(module).string(name).op(0x93, ')', 'R').stop();
        assertThatThrownBy(() -> read(byStack)).hasMessageContaining("nothing is run");
    }

    @ParameterizedTest
    @CsvSource({
        "INST,        '28 69 6f 73 0a 73 79 73 74 65 6d 0a 2e',   instruction 0x69",
        "OBJ,         '28 6f 2e',                                 instruction 0x6f",
        "NEWOBJ,      '29 81 2e',                                 instruction 0x81",
        "NEWOBJ_EX,   '29 92 2e',                                 instruction 0x92",
        "EXT1,        '82 01 2e',                                 instruction 0x82",
        "PERSID,      '50 61 0a 2e',                              instruction 0x50",
        "BUFFER,      '97 2e',                                    instruction 0x97",
        "LONG4,       '8b ff ff ff 7f 2e',                        instruction 0x8b",
        "long string, '58 ff ff ff ff 61 2e',                     string of 4294967295",
        "neg. string, '8d ff ff ff ff ff ff ff ff 2e',            string of -1",
        "bytes minus, '54 ff ff ff ff 2e',                        string of -1",
        "long length, '8a ff 00 2e',                              255 bytes",
        "cut off,     '58 04 00 00 00 61',                        string of 4",
        "no stop,     '4e',                                       ends in the middle",
        "no line end, '63 61 61 61',                              line without end",
        "empty stack, '2e',                                       empty stack",
        "two values,  '4e 4e 2e',                                 leaves values on the stack",
        "no mark,     '4e 74 2e',                                 lacks a mark",
        "pop mark,    '28 30 2e',                                 empty stack",
        "no memo,     '68 03 2e',                                 never stored",
        "append,      '4e 4e 61 2e',                              not a list",
        "set items,   '4e 28 4e 4e 75 2e',                        not a dictionary",
        "odd items,   '7d 28 4e 75 2e',                           not a dictionary",
        "list as key, '7d 5d 4e 73 2e',                           neither string nor integer",
        "call none,   '4e 29 52 2e',                              not a constructor",
        "call list,   '5d 29 52 2e',                              not a constructor",
        "build none,  '4e 7d 62 2e',                              has none",
        "name none,   '4e 4e 93 2e',                              not a string",
        "persistent,  '4e 51 2e',                                 not a storage",
        "protocol 9,  '80 09 4e 2e',                              protocol 9",
        "not UTF-8,   '58 02 00 00 00 c3 28 2e',                  not UTF-8",
    })
    void an_instruction_that_could_do_harm_is_refused(String what, String hex, String reason) {
        byte[] program = HexFormat.ofDelimiter(" ").parseHex(hex);
        assertThatThrownBy(() -> read(program))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "OrderedDict with arguments, collections, OrderedDict",
        "parameter without tensor, torch._utils, _rebuild_parameter",
        "size of nothing, torch, Size",
        "storage called, torch, FloatStorage",
        "tensor of nothing, torch._utils, _rebuild_tensor_v2",
    })
    void an_allowed_name_takes_only_its_own_arguments(String what, String module, String name) {
        byte[] program = new Program()
                .global(module, name)
                .op('N', 'N', 'N', '(', 'N', 'N', 'N', 'N', 't', 'R')
                .stop();
        assertThatThrownBy(() -> read(program)).isInstanceOf(WeightsException.class);
        byte[] direct = new Program()
                .global(module, name)
                .op('(', 'N', 'N', 'N', 'N', 't', 'R')
                .stop();
        assertThatThrownBy(() -> read(direct)).isInstanceOf(WeightsException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "beyond the end, 8, 1, '2,4', '4,1'",
        "stride zero bomb, 8, 0, '2000000000,2', '0,0'",
        "product overflow, 8, 0, '2000000000,2000000000,2000000000', '0,0,0'",
        "stride overflow, 8, 0, '2,2', '2147483647,2147483647'",
        "negative offset, 8, -1, '2', '1'",
        "negative size, 8, 0, '-2', '1'",
        "negative stride, 8, 4, '2', '-1'",
        "sizes and strides, 8, 0, '2,2', '1'",
        "negative storage, -1, 0, '1', '1'",
    })
    void a_tensor_must_lie_inside_its_storage(String what, int numel, int offset, String sizes, String strides) {
        byte[] program = new Program()
                .tensor("0", numel, offset, integers(sizes), integers(strides), false)
                .stop();
        assertThatThrownBy(() -> read(program)).isInstanceOf(WeightsException.class);
    }

    @Test
    void one_storage_is_not_described_in_two_ways() {
        byte[] program = new Program()
                .op(']')
                .tensor("0", 8, 0, List.of(2), List.of(1), false)
                .op('a')
                .tensor("0", 9, 0, List.of(2), List.of(1), false)
                .op('a')
                .stop();
        assertThatThrownBy(() -> read(program)).hasMessageContaining("two ways");
        byte[] inside = new Program()
                .op('(')
                .string("storage")
                .global("torch", "FloatStorage")
                .string("0")
                .string("cpu")
                .integer(3)
                .op(')', 't', 'Q')
                .stop();
        assertThatThrownBy(() -> read(inside)).hasMessageContaining("storage inside a storage");
        byte[] path = new Program()
                .tensor("../../etc/passwd", 8, 0, List.of(2), List.of(1), false)
                .stop();
        assertThatThrownBy(() -> read(path)).hasMessageContaining("not a storage");
    }

    @Test
    void deep_nesting_costs_neither_stack_nor_time() throws WeightsException {
        byte[] lists = new byte[1_000_001];
        java.util.Arrays.fill(lists, (byte) ']');
        for (int index = 500_000; index < 1_000_000; index++) {
            lists[index] = 'a';
        }
        lists[499_999] = ']';
        lists[1_000_000] = '.';
        // 500,000 lists, of which 499,999 are put into each other and one append finds not a list.
        assertThatThrownBy(() -> read(lists)).isInstanceOf(WeightsException.class);
        lists[999_999] = '.';
        assertThat(read(lists)).isInstanceOf(List.class);
        byte[] tuples = new byte[1_000_002];
        java.util.Arrays.fill(tuples, (byte) 0x85);
        tuples[0] = ')';
        tuples[1_000_001] = '.';
        assertThat(read(tuples)).isInstanceOf(PickledTuple.class);
    }

    @Test
    void a_program_without_end_is_stopped() {
        byte[] endless = new byte[3_000_000];
        for (int index = 0; index < endless.length; index += 2) {
            endless[index] = 'N';
            endless[index + 1] = '0';
        }
        assertThatThrownBy(() -> read(endless)).hasMessageContaining("steps");
    }

    @Test
    void a_memo_bomb_does_not_grow() throws WeightsException {
        // A list of ten references to a list of ten references …, sixty levels: 10^60 if anything were copied.
        Program program = new Program().op(']', 'q', 0);
        for (int level = 1; level <= 60; level++) {
            program.op(']', '(');
            for (int copy = 0; copy < 10; copy++) {
                program.op('h', level - 1);
            }
            program.op('e', 'q', level);
        }
        program.op('q', 61);
        for (int level = 0; level < 60; level++) {
            program.op('a');
        }
        assertThat(read(program.stop())).isInstanceOf(List.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void a_mutated_pickle_is_read_or_refused_but_never_anything_else(long seed) {
        byte[] original = TorchFiles.stateDict(false);
        SplittableRandom random = new SplittableRandom(seed);
        int refused = 0;
        for (int round = 0; round < 5_000; round++) {
            byte[] mutated = original.clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                mutated[random.nextInt(mutated.length)] = (byte) random.nextInt(256);
            }
            try {
                StateDict.of(read(mutated));
            } catch (WeightsException expected) {
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 5_000);
    }

    @Test
    void the_name_in_a_message_is_printable() {
        byte[] program = new Program().global("o\u001b[31ms", "x".repeat(500)).stop();
        assertThatThrownBy(() -> read(program))
                .satisfies(refusal ->
                        assertThat(refusal.getMessage()).hasSizeLessThan(500).doesNotContain("\u001b"));
        assertThat("\u001b".getBytes(StandardCharsets.UTF_8)).hasSize(1);
    }

    private static List<Integer> integers(String commaSeparated) {
        return java.util.Arrays.stream(commaSeparated.split(","))
                .map(Integer::valueOf)
                .toList();
    }

    private static Object read(byte[] program) throws WeightsException {
        return new PickleReader(new Input(ByteBuffer.wrap(program))).read();
    }
}
