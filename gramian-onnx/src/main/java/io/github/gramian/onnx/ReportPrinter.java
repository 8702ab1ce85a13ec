package io.github.gramian.onnx;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.io.internal.Text;
import io.github.gramian.onnx.parity.ParityReport;
import io.github.gramian.onnx.quantisation.QuantisationReport;
import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Prints the report of {@code gramian export}. */
record ReportPrinter(PrintWriter out) {

    /** The members of the JSON object, in this order. */
    private record Members(
            @JsonUnwrapped ParityReport parity,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            QuantisationReport int8) {}

    void printJson(ExportReport report) {
        JsonOutput.print(out, new Members(report.parity(), report.int8().orElse(null)));
    }

    void printText(ExportReport report) {
        ParityReport parity = report.parity();
        print("float: %.1f MB, opset %d", parity.bytes() / 1e6, parity.opset());
        String rejected =
                parity.rejected() == 0 ? "" : "; " + Text.count(parity.rejected(), "file") + " without an image";
        print("compared on %s%s", Text.count(parity.images(), "image"), rejected);
        print("model in float", parity.toFloat());
        print("model in double", parity.toDouble());
        report.int8().ifPresent(int8 -> {
            print(
                    "int8 for %s: activations of %d images observed, %d others classified",
                    int8.target().key(), int8.observed(), int8.images());
            print("float", int8.inFloat());
            print("int8", int8.inInt8());
        });
        out.flush();
    }

    private void print(String against, ParityReport.Difference difference) {
        print(
                "  against the %-16s probabilities differ by at most %.2g, %.2g on average; same class: %.2f %%",
                against, difference.max(), difference.mean(), 100 * difference.topAgreement());
    }

    private void print(String name, QuantisationReport.Measured measured) {
        print(
                "  %-6s %7.1f MB   %6.1f images/s   accuracy %.2f %%",
                name, measured.bytes() / 1e6, measured.imagesPerSecond(), 100 * measured.accuracy());
    }

    private void print(String pattern, Object... values) {
        out.println(String.format(Locale.ROOT, pattern, values));
    }
}
