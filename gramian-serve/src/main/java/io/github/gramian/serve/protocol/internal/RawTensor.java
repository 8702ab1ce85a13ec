package io.github.gramian.serve.protocol.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** An input tensor as it stands in the JSON of a request, before its data is looked at. */
final class RawTensor {

    String name = "";
    String datatype = "";
    List<Long> shape = List.of();
    OptionalLong binarySize = OptionalLong.empty();
    boolean hasData;
    final FloatValues values = new FloatValues();
    final List<String> strings = new ArrayList<>();

    /** Place of the first string among the elements of the data. */
    int firstString;
}
