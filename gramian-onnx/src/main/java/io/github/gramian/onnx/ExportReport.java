package io.github.gramian.onnx;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.quantisation.QuantisationReport;
import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What {@code gramian export} prints.
 *
 * @param parity of the file in float
 * @param int8 of the file with a rounded backbone, if one was asked for
 */
record ExportReport(
        @JsonUnwrapped ParityReport parity,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable QuantisationReport int8) {

    void printJson(PrintWriter out) {
        JsonOutput.print(out, this);
    }

    void printText(PrintWriter out) {
        print(out, "float: %.1f MB, opset %d", parity.bytes() / 1e6, parity.opset());
        String rejected = parity.rejected() == 0 ? "" : "; " + parity.rejected() + " files were not images";
        print(out, "compared on %d images%s", parity.images(), rejected);
        print(out, "model in float", parity.toFloat());
        print(out, "model in double", parity.toDouble());
        if (int8 != null) {
            print(out, "int8: activations of %d images observed, %d others classified", int8.observed(), int8.images());
            print(out, "float", int8.inFloat());
            print(out, "int8", int8.inInt8());
        }
        out.flush();
    }

    private static void print(PrintWriter out, String against, ParityReport.Difference difference) {
        print(
                out,
                "  against the %-16s probabilities differ by at most %.2g, %.2g on average; same class: %.2f %%",
                against,
                difference.max(),
                difference.mean(),
                100 * difference.topAgreement());
    }

    private static void print(PrintWriter out, String name, QuantisationReport.Measured measured) {
        print(
                out,
                "  %-6s %7.1f MB   %6.1f images/s   accuracy %.2f %%",
                name,
                measured.bytes() / 1e6,
                measured.imagesPerSecond(),
                100 * measured.accuracy());
    }

    private static void print(PrintWriter out, String pattern, Object... values) {
        out.println(String.format(Locale.ROOT, pattern, values));
    }
}
