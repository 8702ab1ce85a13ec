package io.github.gramian.fuzz;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * {@code .ci/fuzz [SECONDS] [TARGET…]}: attacks each target for this number of seconds and prints a table; the exit code is 1 after a
 * finding. {@code .ci/fuzz replay TARGET FILE}: reads one input, and shows where it fails.
 */
public final class FuzzMain {

    private static final int SECONDS = 60;

    private FuzzMain() {}

    public static void main(String[] words) throws Exception {
        List<String> rest = new ArrayList<>(Arrays.asList(words));
        if (rest.size() == 3 && rest.get(0).equals("replay")) {
            boolean accepted = new Watch(FuzzTargets.named(rest.get(1))).read(Files.readAllBytes(Path.of(rest.get(2))));
            System.out.println(accepted ? "accepted" : "refused");
            return;
        }
        boolean timed = !rest.isEmpty() && rest.get(0).matches("\\d{1,6}");
        Duration time = Duration.ofSeconds(timed ? Integer.parseInt(rest.remove(0)) : SECONDS);
        List<FuzzTarget> targets = rest.isEmpty()
                ? FuzzTargets.all().toList()
                : rest.stream().map(FuzzTargets::named).toList();
        boolean found = run(targets, time, Path.of("target", "fuzz"), System.out);
        System.exit(found ? 1 : 0);
    }

    /** Whether there was a finding. */
    private static boolean run(List<FuzzTarget> targets, Duration time, Path folder, PrintStream out) throws Exception {
        out.println("target            executions   per second  coverage  findings");
        ExecutorService pool = Executors.newFixedThreadPool(Integer.getInteger("gramian.fuzz.jobs", 1));
        List<Future<FuzzProcess.Result>> results = new ArrayList<>();
        for (FuzzTarget target : targets) {
            results.add(pool.submit(() -> new FuzzProcess(target, folder.resolve(target.name())).run(time)));
        }
        pool.shutdown();
        long executions = 0;
        int findings = 0;
        for (int i = 0; i < targets.size(); i++) {
            FuzzProcess.Result result = results.get(i).get();
            out.printf(
                    Locale.ROOT,
                    "%-16s %,11d  %,11d  %,8d  %8d%n",
                    targets.get(i).name(),
                    result.executions(),
                    result.perSecond(),
                    result.coverage(),
                    result.findings().size());
            result.findings().forEach(finding -> out.println("    " + finding));
            executions += result.executions();
            findings += result.findings().size();
        }
        out.printf(Locale.ROOT, "%-16s %,11d  %31d%n", "all", executions, findings);
        return findings > 0;
    }
}
