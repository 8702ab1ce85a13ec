package io.github.gramian.onnx;

import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.quantisation.QuantisationReport;
import java.util.List;
import java.util.Optional;

/**
 * The result of an export.
 *
 * @param parity how closely the file in float agrees with the model
 * @param int8 the file with a rounded backbone compared with the file in float; empty without {@link
 *     OnnxExport#withInt8(java.nio.file.Path, double)}
 * @param notes what the file lacks that the model has, in sentences
 */
public record ExportReport(ParityReport parity, Optional<QuantisationReport> int8, List<String> notes) {

    public ExportReport {
        notes = List.copyOf(notes);
    }
}
