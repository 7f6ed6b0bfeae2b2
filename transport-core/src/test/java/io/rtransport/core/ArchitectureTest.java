package io.rtransport.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The arrows between the rooms, and what a state machine without I/O must not touch: the same input
 * gives the same output, always.
 */
@AnalyzeClasses(
    packages = "io.rtransport.core",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String CORE = "io.rtransport.core.";

  @ArchTest
  static final ArchRule coreDependsOnAgronaAndTheJdkOnly =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("io.rtransport.core..", "java..", "javax.crypto..", "org.agrona..");

  @ArchTest
  static final ArchRule coreTouchesNothingThatNeedsJvmFlags =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "jdk.internal..", "sun..", "org.agrona.concurrent.ringbuffer..", "org.agrona.nio..")
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("org\\.agrona\\.concurrent\\.(Unsafe|Atomic|Mapped).*")
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("org\\.agrona\\.concurrent\\..*Queue.*");

  @ArchTest
  static final ArchRule aTransactionChangesByItsMethodsOnly =
      fields()
          .that()
          .areNotStatic()
          .and()
          .areDeclaredInClassesThat()
          .haveNameMatching(
              "io\\.rtransport\\.core\\.transaction"
                  + "\\.(Transaction|PoolMember|IncomingPayload|OutgoingPayload)")
          .should()
          .bePrivate();

  @ArchTest
  static final ArchRule coreReadsNoClock =
      noClasses()
          .should()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethodWhere(isNow())
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class)
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("org\\.agrona\\.concurrent\\..*Clock");

  @ArchTest
  static final ArchRule coreDrawsNothingAtRandomByItself =
      noClasses()
          .should()
          .callMethod(Math.class, "random")
          .orShould()
          .callMethodWhere(isFactoryOfGenerators())
          .orShould()
          .callConstructor(SplittableRandom.class)
          .orShould()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are a random source other than the interface given in, or one seeded from it",
                  type ->
                      type.isAssignableTo(RandomGenerator.class)
                          && !type.isEquivalentTo(RandomGenerator.class)
                          && !type.isEquivalentTo(SplittableRandom.class)))
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.util.UUID");

  @ArchTest
  static final ArchRule coreHasNoThreads =
      noClasses()
          .should()
          .dependOnClassesThat()
          .areAssignableTo(Thread.class)
          .orShould()
          .dependOnClassesThat()
          .resideInAnyPackage("java.util.concurrent.locks..")
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("java\\.util\\.concurrent\\.(\\w*Execut\\w*|Future\\w*|Timer\\w*)")
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("java\\.lang\\.ThreadLocal.*|java\\.util\\.Timer.*");

  @ArchTest
  static final ArchRule coreDoesNoInputOrOutput =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.nio.channels..", "java.nio.file..")
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("java\\.net\\..*Socket|java\\.io\\.(File|RandomAccess).*");

  @ArchTest static final ArchRule statsStandsAlone = only("stats");
  @ArchTest static final ArchRule camStandsAlone = only("cam");
  @ArchTest static final ArchRule congestionStandsAlone = only("congestion");
  @ArchTest static final ArchRule queueStandsAlone = only("queue");
  @ArchTest static final ArchRule outcomeStandsAlone = only("outcome");
  @ArchTest static final ArchRule burstStandsAlone = only("burst");

  @ArchTest
  static final ArchRule parameterKnowsWhatCanBeSetOnly = only("parameter", "adp", "rail", "stats");

  @ArchTest
  static final ArchRule wireKnowsBurstsCountersAndParametersOnly =
      only("wire", "burst", "parameter", "stats");

  @ArchTest
  static final ArchRule windowKnowsNothingAboveIt =
      only(
          "window",
          "burst",
          "wire",
          "cam",
          "adp",
          "congestion",
          "parameter",
          "stats",
          "time",
          "rail");

  @ArchTest static final ArchRule railKnowsNothingElse = only("rail");
  @ArchTest static final ArchRule nodeKnowsOutcomesOnly = only("node", "outcome");

  @ArchTest
  static final ArchRule onlyTheConnectionKnowsTheConnection =
      noClasses()
          .that()
          .resideOutsideOfPackage(CORE + "connection..")
          .should()
          .dependOnClassesThat(JavaClass.Predicates.resideInAPackage(CORE + "connection.."));

  private static ArchRule only(String room, String... others) {
    String[] allowed = new String[others.length + 3];
    allowed[0] = CORE + room + "..";
    for (int i = 0; i < others.length; i++) {
      allowed[i + 1] = CORE + others[i] + "..";
    }
    allowed[others.length + 1] = "java..";
    allowed[others.length + 2] = "org.agrona..";
    return classes()
        .that()
        .resideInAPackage(CORE + room + "..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(allowed);
  }

  private static DescribedPredicate<com.tngtech.archunit.core.domain.JavaMethodCall> isNow() {
    return DescribedPredicate.describe(
        "asks java.time for now",
        call ->
            call.getName().equals("now")
                && call.getTargetOwner().getPackageName().equals("java.time"));
  }

  private static DescribedPredicate<com.tngtech.archunit.core.domain.JavaMethodCall>
      isFactoryOfGenerators() {
    return DescribedPredicate.describe(
        "makes a random generator",
        call ->
            isNamed(call.getTargetOwner(), RandomGenerator.class)
                && (call.getName().equals("of") || call.getName().equals("getDefault")));
  }

  private static boolean isNamed(JavaClass type, Class<?> expected) {
    return type.getName().equals(expected.getName());
  }
}
